#include "src/onnx/importer.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <unordered_set>

#include "src/base/error.h"
#include "src/ir/other_names.h"
#include "src/onnx/attribute.h"
#include "src/onnx/constant_node.h"
#include "src/onnx/contrib.h"
#include "src/onnx/graph_importer.h"
#include "src/onnx/graph_inputs.h"
#include "src/onnx/graph_order.h"
#include "src/onnx/initializer.h"
#include "src/onnx/model_file.h"
#include "src/onnx/upgrade.h"

namespace halftone {
namespace {

// The names that nodes of `graph` or its outputs read.
std::unordered_set<std::string> UsedNames(const onnx::GraphProto& graph) {
  std::unordered_set<std::string> used;
  for (const auto& node : graph.node()) {
    for (std::string& name : NamesReadBy(node)) {
      used.insert(std::move(name));
    }
  }
  for (const auto& output : graph.output()) {
    used.insert(output.name());
  }
  return used;
}

// Names of values of the main graph are kept as they are: made-up names must not take them.
void ReserveNames(const onnx::GraphProto& graph, UniqueNames& names) {
  for (const auto& input : graph.input()) {
    names.Reserve(input.name());
  }
  for (const auto& initializer : graph.initializer()) {
    names.Reserve(initializer.name());
  }
  for (const auto& node : graph.node()) {
    for (const std::string& output : node.output()) {
      names.Reserve(output);
    }
  }
}

// Name of the node here; `unnamed`: how many nodes before it have none.
std::string NameInBody(const onnx::NodeProto& node, const std::string& prefix, int& unnamed) {
  return prefix +
         (node.name().empty() ? fmt::format("{}_{}", node.op_type(), unnamed++) : node.name());
}

}  // namespace

GraphImporter::GraphImporter(const onnx::ModelProto& model, std::filesystem::path folder,
                             InitializerTensors* initializers)
    : model_(model),
      folder_(std::move(folder)),
      initializers_(initializers),
      opset_(OpsetOf(model)),
      functions_(model) {}

std::string GraphImporter::ValueName(const std::string& name, const Scope& scope) {
  return scope.outer == nullptr ? name : builder_.value_names.Make(scope.prefix + name);
}

Tensor GraphImporter::InitializerOf(const onnx::TensorProto& proto) {
  if (initializers_ == nullptr) {
    return TensorOf(proto, folder_);
  }
  auto found = initializers_->find(&proto);
  if (found == initializers_->end()) {
    found = initializers_->emplace(&proto, TensorOf(proto, folder_)).first;
  }
  return found->second;
}

void GraphImporter::AddInitializers(const onnx::GraphProto& graph, Scope& scope) {
  if (graph.sparse_initializer_size() > 0) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("initializer '{}': expected a dense tensor, found a sparse one; write "
                            "it with all its elements",
                            graph.sparse_initializer(0).values().name()));
  }
  for (const auto& initializer : graph.initializer()) {
    const auto read = [&] {
      builder_.Reserve(TypeOf(initializer));
      Tensor tensor = InitializerOf(initializer);
      if (scope.outer == nullptr) {
        builder_.budget.Allow(static_cast<double>(tensor.size_bytes()));
      }
      return builder_.AddConstant(std::move(tensor), ValueName(initializer.name(), scope));
    };
    scope.ids[initializer.name()] =
        WithContext([&] { return fmt::format("initializer '{}'", initializer.name()); },
                    [&] { return KeptConstant(&initializer, read); });
  }
}

// Nodes without a name are called <type>_<their index among those without>, as ATC calls them
// (GE's parser, OnnxModelParser::UpdateAllNodeName). A name that is taken gets a suffix.
std::vector<std::string> GraphImporter::NodeNames(const onnx::GraphProto& graph,
                                                  const Scope& scope) {
  std::vector<std::string> names(static_cast<std::size_t>(graph.node_size()));
  for (int n = 0; n < graph.node_size(); ++n) {
    const std::string name = scope.prefix + graph.node(n).name();
    if (!graph.node(n).name().empty() && builder_.node_names.Reserve(name)) {
      names[static_cast<std::size_t>(n)] = name;
    }
  }
  int unnamed = 0;
  for (int n = 0; n < graph.node_size(); ++n) {
    std::string& name = names[static_cast<std::size_t>(n)];
    const auto& node = graph.node(n);
    if (name.empty()) {
      name = builder_.node_names.Make(
          scope.prefix +
          (node.name().empty() ? fmt::format("{}_{}", node.op_type(), unnamed++) : node.name()));
    }
  }
  return names;
}

std::vector<ValueId> GraphImporter::InputsOfNode(const onnx::NodeProto& proto,
                                                 const Scope& scope) const {
  std::vector<ValueId> inputs;
  for (const std::string& name : proto.input()) {
    inputs.push_back(name.empty() ? kNoValue : scope.Find(name));
    RequireTensor(inputs.back(), fmt::format("input '{}'", name));
  }
  while (!inputs.empty() && inputs.back() == kNoValue) {
    inputs.pop_back();
  }
  return inputs;
}

std::string GraphImporter::OtherNameOf(const onnx::NodeProto& proto,
                                       const std::string& name) const {
  return depth_ == 0 && proto.name() != name ? proto.name() : std::string();
}

std::vector<Origin> GraphImporter::OriginsOf(const onnx::NodeProto& proto, const std::string& name,
                                             const std::string& output) const {
  std::vector<Origin> origins = {{name, proto.op_type(), output}};
  if (std::string other = OtherNameOf(proto, name); !other.empty()) {
    origins.push_back(OtherName(std::move(other)));
  }
  return origins;
}

void GraphImporter::NoteRemoved(const onnx::NodeProto& proto, const std::string& name) {
  for (Origin& origin : OriginsOf(proto, name, "")) {
    builder_.graph.removed.push_back(std::move(origin));
  }
}

void GraphImporter::NoteNotRun(const onnx::GraphProto& body, const std::string& prefix) {
  int unnamed = 0;
  for (const auto& node : body.node()) {
    NoteNodeNotRun(node, NameInBody(node, prefix, unnamed));
  }
}

void GraphImporter::NoteNodeNotRun(const onnx::NodeProto& node, const std::string& name) {
  constexpr std::size_t kMostNoted = 16U << 20U;  // about 100,000 names
  constexpr std::size_t kOfOrigin = 64;
  constexpr int kDeepest = 30;  // calls in each other, as ImportCall() takes them
  noted_ += name.size() + kOfOrigin;
  if (noted_ > kMostNoted) {
    return;
  }
  NoteRemoved(node, name);
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) {
      NoteNotRun(attribute.g(), name + "/");
    }
  }
  const onnx::FunctionProto* const function = functions_.Find(node);
  if (function != nullptr && depth_ < kDeepest) {
    int unnamed = 0;
    ++depth_;  // names of its nodes are none of the file
    for (const auto& inner : function->node()) {
      NoteNodeNotRun(inner, NameInBody(inner, name + "/", unnamed));
    }
    --depth_;
  }
}

void GraphImporter::ImportOperator(const onnx::NodeProto& proto, const std::string& name,
                                   const std::unordered_set<std::string>& used, Scope& scope) {
  FileNode node{.type = proto.op_type(),
                .opset = opset_,
                .name = name,
                .other_name = OtherNameOf(proto, name),
                .attributes = AttributesOf(proto, folder_),
                .inputs = InputsOfNode(proto, scope)};
  const bool variadic = proto.op_type() == "Split";  // each output counts, used or not
  std::size_t count = 0;
  for (int i = 0; i < proto.output_size(); ++i) {
    const std::string& output = proto.output(i);
    if (!output.empty() && (variadic || i == 0 || used.contains(output))) {
      count = static_cast<std::size_t>(i) + 1;
    }
  }
  if (count == 0) {
    throw Error(ErrorKind::kModel, "expected an output, got none");
  }
  node.output_count = count;
  if (!IsDefaultDomain(proto.domain())) {
    ExpandContrib(node, builder_);
  }
  Upgrade(node, builder_);
  count = node.output_count;
  for (std::size_t i = 0; i < node.constant_outputs.size(); ++i) {
    const std::string& output = proto.output(static_cast<int>(count + i));
    scope.ids[output] =
        builder_.AddConstant(std::move(node.constant_outputs[i]), ValueName(output, scope));
  }
  const auto given = static_cast<std::size_t>(proto.output_size());
  for (std::size_t i = 1; i < std::min(node.made_outputs.size(), given); ++i) {
    if (node.made_outputs[i] != kNoValue && !proto.output(static_cast<int>(i)).empty()) {
      NameOutput(proto, static_cast<int>(i), fmt::format("{}/{}", name, i), node.made_outputs[i],
                 scope);
    }
  }
  const OpInfo& info = InfoOf(FindOp(node.type)->kind);
  if (count > 1 && !SignatureItemAt(info.outputs, count - 1)) {
    throw Error(ErrorKind::kUnsupported, fmt::format("output '{}' is used, but not supported",
                                                     proto.output(static_cast<int>(count) - 1)));
  }
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& output = proto.output(static_cast<int>(i));
    outputs.push_back(output.empty() ? builder_.value_names.Make(fmt::format("{}:{}", name, i))
                                     : ValueName(output, scope));
  }
  const std::vector<ValueId> ids =
      builder_.AddNode({.op = info.kind,
                        .name = name,
                        .origins = OriginsOf(proto, name, outputs.empty() ? "" : outputs[0]),
                        .attributes = std::move(node.attributes),
                        .inputs = std::move(node.inputs),
                        .outputs = {}},
                       outputs);
  for (std::size_t i = 0; i < count; ++i) {
    scope.ids[proto.output(static_cast<int>(i))] = ids[i];
  }
  for (const std::string& output : proto.output()) {  // those that the new form does not have
    if (!output.empty() && used.contains(output) && !scope.ids.contains(output)) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("output '{}' is used, but not supported", output));
    }
  }
}

void GraphImporter::ImportNode(const onnx::NodeProto& proto, const std::string& name,
                               const std::unordered_set<std::string>& used, Scope& scope) {
  const bool copies = proto.op_type() == "Identity" && proto.input_size() == 1 &&
                      proto.output_size() == 1 && IsSequence(scope.Find(proto.input(0)));
  if (const onnx::FunctionProto* function = functions_.Find(proto)) {
    ImportCall(proto, *function, name, scope);
  } else if (copies) {
    scope.ids[proto.output(0)] = scope.Find(proto.input(0));
  } else if (IsSequenceOperator(proto.op_type())) {
    ImportSequence(proto, name, scope);
  } else if (proto.op_type() == "If") {
    ImportIf(proto, name, scope);
  } else if (proto.op_type() == "Loop") {
    ImportLoop(proto, name, scope);
  } else if (proto.op_type() == "Scan") {
    ImportScan(proto, name, scope);
  } else if (proto.op_type() == "Constant") {
    if (proto.output_size() != 1 || proto.input_size() != 0) {
      throw Error(ErrorKind::kModel, fmt::format("expected no input and 1 output, got {} and {}",
                                                 proto.input_size(), proto.output_size()));
    }
    scope.ids[proto.output(0)] = KeptConstant(&proto, [&] {
      return builder_.AddConstant(ConstantNodeValue(AttributesOf(proto, folder_)),
                                  ValueName(proto.output(0), scope));
    });
    NoteRemoved(proto, name);
  } else {
    ImportOperator(proto, name, used, scope);
  }
}

void GraphImporter::ImportNodes(const onnx::GraphProto& graph, Scope& scope) {
  RefuseMissingOperators(graph, opset_, functions_);
  const std::vector<int> order = NodeOrder(graph, [&](const std::string& name) {
    return scope.outer != nullptr && scope.outer->Find(name) != kNoValue;
  });
  const std::vector<std::string> names = NodeNames(graph, scope);
  const std::unordered_set<std::string> used = UsedNames(graph);
  for (const int n : order) {
    const std::string& name = names[static_cast<std::size_t>(n)];
    WithContext([&] { return fmt::format("node '{}' ({})", name, graph.node(n).op_type()); },
                [&] { ImportNode(graph.node(n), name, used, scope); });
  }
}

ImportResult GraphImporter::Run(const ImportOptions& options) {
  const onnx::GraphProto& graph = model_.graph();
  ReserveNames(graph, builder_.value_names);
  GraphInputs inputs = InputsOf(graph, options);
  Scope scope;
  for (GraphInput& input : inputs.inputs) {
    const ValueId id = builder_.graph.AddValue(
        {.name = input.name, .type = std::move(input.type), .constant = {}});
    builder_.graph.inputs.push_back(id);
    scope.ids[input.name] = id;
  }
  builder_.max_bytes = options.max_bytes;
  if (options.sample) {
    builder_.tracer.emplace(options.sample);
  }
  AddInitializers(graph, scope);
  AllowForNodes();
  ImportNodes(graph, scope);
  if (graph.output_size() == 0) {
    throw Error(ErrorKind::kModel, "expected outputs, the graph has none");
  }
  std::unordered_set<std::string> seen;
  for (const auto& output : graph.output()) {
    const ValueId id = scope.Find(output.name());
    if (id == kNoValue) {
      throw Error(ErrorKind::kModel,
                  fmt::format("graph output '{}' is made by no node and is no input or initializer",
                              output.name()));
    }
    RequireTensor(id, fmt::format("graph output '{}'", output.name()));
    if (!seen.insert(output.name()).second) {
      throw Error(ErrorKind::kModel,
                  fmt::format("graph output '{}' is given twice", output.name()));
    }
    builder_.graph.outputs.push_back(id);
  }
  builder_.graph.name = graph.name();
  return {.graph = std::move(builder_.graph),
          .notes = std::move(inputs.notes),
          .traced = std::move(builder_.traced),
          .opset = opset_,
          .producer = {}};
}

ImportResult ImportGraph(const onnx::ModelProto& model, const std::filesystem::path& folder,
                         const ImportOptions& options, InitializerTensors* initializers) {
  return GraphImporter(model, folder, initializers).Run(options);
}

}  // namespace halftone
