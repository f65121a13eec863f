#include "src/export/finish_model.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "src/base/error.h"
#include "src/export/check_onnx.h"
#include "src/onnx/graph_order.h"
#include "src/onnx/initializer.h"
#include "src/onnx/model_file.h"

namespace halftone {
namespace {

// The first version of the format whose initializers need not be inputs too.
constexpr std::int64_t kConstantsAreNoInputs = 4;

// Key of the model's metadata_props.
constexpr std::string_view kPlanKey = "halftone.plan";

// Smaller tensors stay in the message: shapes and axes, which readers want while they infer types.
constexpr std::size_t kLeastBeside = 1024;

// Bytes of an initializer that is worth sharing. What raising an opset reads is below.
constexpr std::size_t kLeastShared = 64 << 10;

// Keeps the entries of a list whose name is in `names`, or, where `kept` is false, is not.
template <typename List>
void Keep(List& list, const std::set<std::string>& names, bool kept = true) {
  const auto end = std::remove_if(list.begin(), list.end(), [&](const auto& entry) {
    return names.contains(entry.name()) != kept;
  });
  list.DeleteSubrange(static_cast<int>(end - list.begin()), static_cast<int>(list.end() - end));
}

std::size_t DataBytesOf(const onnx::TensorProto& tensor) {
  return tensor.data_type() == onnx::TensorProto::STRING
             ? 0
             : static_cast<std::size_t>(TypeOf(tensor).size_bytes());
}

// Null: the message has the data, or another file.
const Tensor* SharedBytesOf(const onnx::TensorProto& tensor, const SharedData& shared) {
  const auto found = tensor.data_location() == onnx::TensorProto::EXTERNAL || tensor.has_raw_data()
                         ? shared.end()
                         : shared.find(tensor.name());
  return found == shared.end() ? nullptr : &found->second;
}

// Data of other files becomes part of the message.
void TakeData(onnx::TensorProto& tensor, const std::filesystem::path& folder) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL) {
    return;
  }
  const Tensor taken = TensorOf(tensor, folder);
  tensor.clear_external_data();
  tensor.clear_data_location();
  tensor.set_raw_data(taken.data(), taken.size_bytes());
}

void TakeInnerData(onnx::NodeProto& node, const std::filesystem::path& folder);

// The data of a graph and its bodies, but for the initializers of the graph itself.
void TakeNodeData(onnx::GraphProto& graph, const std::filesystem::path& folder) {
  for (auto& node : *graph.mutable_node()) {
    TakeInnerData(node, folder);
  }
}

void TakeBodyData(onnx::GraphProto& body, const std::filesystem::path& folder) {
  for (auto& initializer : *body.mutable_initializer()) {
    TakeData(initializer, folder);
  }
  TakeNodeData(body, folder);
}

void TakeInnerData(onnx::NodeProto& node, const std::filesystem::path& folder) {
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_t()) {
      TakeData(*attribute.mutable_t(), folder);
    }
    for (auto& tensor : *attribute.mutable_tensors()) {
      TakeData(tensor, folder);
    }
    if (attribute.has_g()) {
      TakeBodyData(*attribute.mutable_g(), folder);
    }
    for (auto& body : *attribute.mutable_graphs()) {
      TakeBodyData(body, folder);
    }
  }
}

void TakeInnerData(onnx::ModelProto& model, const std::filesystem::path& folder) {
  TakeNodeData(*model.mutable_graph(), folder);
  for (auto& function : *model.mutable_functions()) {
    for (auto& node : *function.mutable_node()) {
      TakeInnerData(node, folder);
    }
  }
}

// Of the message with the data of all initializers in it.
std::size_t BytesOf(const onnx::ModelProto& model, const SharedData& shared) {
  std::size_t bytes = model.ByteSizeLong();
  for (const auto& initializer : model.graph().initializer()) {
    if (initializer.data_location() == onnx::TensorProto::EXTERNAL ||
        SharedBytesOf(initializer, shared) != nullptr) {
      bytes += DataBytesOf(initializer);
    }
  }
  return bytes;
}

void AddEntry(onnx::TensorProto& tensor, const char* key, std::string value) {
  auto& entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(std::move(value));
}

// Moves the data of an initializer into the second file.
void PutBeside(onnx::TensorProto& tensor, const SharedData& shared,
               const std::filesystem::path& folder, const std::string& name, WeightFile& weights) {
  const std::size_t length = DataBytesOf(tensor);
  const bool raw = tensor.data_location() != onnx::TensorProto::EXTERNAL && tensor.has_raw_data();
  const Tensor* of_network = SharedBytesOf(tensor, shared);
  const std::int64_t offset = raw ? weights.Add(std::move(*tensor.mutable_raw_data()))
                              : of_network != nullptr ? weights.Add(*of_network)
                                                      : weights.Add(TensorOf(tensor, folder));
  onnx::TensorProto beside;
  beside.set_name(tensor.name());
  beside.set_data_type(tensor.data_type());
  *beside.mutable_dims() = tensor.dims();
  if (tensor.has_doc_string()) {
    beside.set_doc_string(tensor.doc_string());
  }
  AddEntry(beside, "location", name);
  AddEntry(beside, "offset", fmt::format("{}", offset));
  AddEntry(beside, "length", fmt::format("{}", length));
  beside.set_data_location(onnx::TensorProto::EXTERNAL);
  tensor = std::move(beside);
}

// Error kUnsupported: the file would not be valid ONNX, and the model it is made of is. A sentence
// where that is not valid either; empty: both are.
std::string CheckAgainst(const std::filesystem::path& source, const onnx::ModelProto& written) {
  try {
    CheckOnnx(written);
    return {};
  } catch (const Error& of_file) {
    try {
      CheckOnnx(*LoadModel(source));
    } catch (const Error& of_source) {
      return fmt::format("the model itself is not valid ONNX, and neither is the file: {}",
                         of_source.what());
    }
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the file would not be valid ONNX, so it was not written: {}; write "
                            "another format, or keep the operators around it in float32",
                            of_file.what()));
  }
}

}  // namespace

void CheckReads(const onnx::GraphProto& graph) {
  std::set<std::string> known;
  for (const auto& input : graph.input()) {
    known.insert(input.name());
  }
  for (const auto& initializer : graph.initializer()) {
    known.insert(initializer.name());
  }
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& name : NamesReadBy(graph.node(i))) {
      if (!name.empty() && !known.contains(name)) {
        throw Error(ErrorKind::kUnsupported,
                    fmt::format("{} reads tensor '{}', which an integer operator folds into "
                                "itself; leave the operators that make it in a float format",
                                DescribeProto(graph.node(i), i), name));
      }
    }
    known.insert(graph.node(i).output().begin(), graph.node(i).output().end());
  }
}

void DropUnused(onnx::GraphProto& graph) {
  std::set<std::string> used;
  std::set<std::string> made;
  for (const auto& output : graph.output()) {
    used.insert(output.name());
  }
  for (const auto& node : graph.node()) {
    for (std::string& name : NamesReadBy(node)) {
      used.insert(std::move(name));
    }
    made.insert(node.output().begin(), node.output().end());
  }
  std::set<std::string> constants;
  for (const auto& initializer : graph.initializer()) {
    constants.insert(initializer.name());
  }
  Keep(*graph.mutable_input(), constants, false);
  Keep(*graph.mutable_initializer(), used);
  Keep(*graph.mutable_value_info(), made);
}

void RefuseExported(const onnx::ModelProto& model) {
  for (const auto& entry : model.metadata_props()) {
    if (entry.key() == kPlanKey) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("the model is a file that halftone exported, with plan {} in its "
                              "nodes; export from the model that it was made of",
                              entry.value()));
    }
  }
}

SharedData ShareData(onnx::ModelProto& model, const Graph& network) {
  std::map<std::string, const Tensor*, std::less<>> constants;
  for (const Value& value : network.values) {
    if (value.constant && value.constant->has_bytes()) {
      constants.emplace(value.name, &*value.constant);
    }
  }
  SharedData shared;
  for (auto& initializer : *model.mutable_graph()->mutable_initializer()) {
    const auto found = constants.find(initializer.name());
    const std::string& raw = initializer.raw_data();
    if (raw.size() < kLeastShared || found == constants.end() ||
        found->second->size_bytes() != raw.size() || found->second->type() != TypeOf(initializer) ||
        std::memcmp(found->second->data(), raw.data(), raw.size()) != 0) {
      continue;
    }
    shared.emplace(initializer.name(), *found->second);
    const std::unique_ptr<std::string> freed(initializer.release_raw_data());
  }
  return shared;
}

ModelBytes FinishModel(onnx::ModelProto& model, const SharedData& shared, const Hash128& plan,
                       const std::filesystem::path& source, const ModelForm& form) {
  const std::filesystem::path folder = source.parent_path();
  model.set_ir_version(std::max<std::int64_t>(model.ir_version(), kConstantsAreNoInputs));
  auto& entry = *model.add_metadata_props();
  entry.set_key(std::string(kPlanKey));
  entry.set_value(plan.ToHex());
  TakeInnerData(model, folder);
  ModelBytes written;
  written.note = CheckAgainst(source, model);
  const bool beside = BytesOf(model, shared) > form.most_bytes;
  for (auto& initializer : *model.mutable_graph()->mutable_initializer()) {
    if (beside && DataBytesOf(initializer) >= kLeastBeside) {
      PutBeside(initializer, shared, folder, form.data_name, written.weights);
    } else if (const Tensor* of_network = SharedBytesOf(initializer, shared)) {
      initializer.set_raw_data(of_network->data(), of_network->size_bytes());
    } else {
      TakeData(initializer, folder);
    }
  }
  if (const std::size_t bytes = model.ByteSizeLong(); bytes > form.most_bytes) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the file would have {} bytes without the tensors that can lie beside "
                            "it, initializers of {} bytes or more; an ONNX file holds at most {}",
                            bytes, kLeastBeside, form.most_bytes));
  }
  written.message = model.SerializeAsString();
  return written;
}

}  // namespace halftone
