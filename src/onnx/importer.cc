#include "src/onnx/importer.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <unordered_map>
#include <unordered_set>

#include "src/base/error.h"
#include "src/onnx/attribute.h"
#include "src/onnx/constant_node.h"
#include "src/onnx/graph_builder.h"
#include "src/onnx/graph_inputs.h"
#include "src/onnx/graph_order.h"
#include "src/onnx/initializer.h"
#include "src/onnx/model_file.h"
#include "src/onnx/upgrade.h"

namespace halftone {
namespace {

// The values that names of one GraphProto stand for; those of the graphs around it are visible.
struct Scope {
  std::unordered_map<std::string, ValueId> ids;
  const Scope* outer = nullptr;
  std::string prefix;  // of node and value names: "" or "<node of the If>/"

  [[nodiscard]] ValueId Find(const std::string& name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
      const auto found = scope->ids.find(name);
      if (found != scope->ids.end()) {
        return found->second;
      }
    }
    return kNoValue;
  }
};

class Importer {
 public:
  Importer(const onnx::ModelProto& model, std::filesystem::path folder)
      : model_(model), folder_(std::move(folder)), opset_(OpsetOf(model)) {}

  ImportResult Run(const ImportOptions& options);

 private:
  void ImportNodes(const onnx::GraphProto& graph, Scope& scope);
  void AddInitializers(const onnx::GraphProto& graph, Scope& scope);
  [[nodiscard]] std::vector<std::string> NodeNames(const onnx::GraphProto& graph,
                                                   const Scope& scope);
  void ImportNode(const onnx::NodeProto& proto, const std::string& name,
                  const std::unordered_set<std::string>& used, Scope& scope);
  void ImportOperator(const onnx::NodeProto& proto, const std::string& name,
                      const std::unordered_set<std::string>& used, Scope& scope);
  void ImportIf(const onnx::NodeProto& proto, const std::string& name, Scope& scope);
  [[nodiscard]] std::string ValueName(const std::string& name, const Scope& scope);
  [[nodiscard]] std::vector<ValueId> InputsOfNode(const onnx::NodeProto& proto,
                                                  const Scope& scope) const;

  const onnx::ModelProto& model_;
  std::filesystem::path folder_;
  std::int64_t opset_;
  GraphBuilder builder_;
};

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

std::string Importer::ValueName(const std::string& name, const Scope& scope) {
  return scope.outer == nullptr ? name : builder_.value_names.Make(scope.prefix + name);
}

void Importer::AddInitializers(const onnx::GraphProto& graph, Scope& scope) {
  if (graph.sparse_initializer_size() > 0) {
    throw Error(ErrorKind::kUnsupported, "sparse initializers are not supported");
  }
  for (const auto& initializer : graph.initializer()) {
    Tensor tensor = WithContext([&] { return fmt::format("initializer '{}'", initializer.name()); },
                                [&] { return TensorOf(initializer, folder_); });
    scope.ids[initializer.name()] =
        builder_.AddConstant(std::move(tensor), ValueName(initializer.name(), scope));
  }
}

// Nodes without a name are called <type>_<index in the file>. A name that is taken gets a suffix.
std::vector<std::string> Importer::NodeNames(const onnx::GraphProto& graph, const Scope& scope) {
  std::vector<std::string> names(static_cast<std::size_t>(graph.node_size()));
  for (int n = 0; n < graph.node_size(); ++n) {
    const std::string name = scope.prefix + graph.node(n).name();
    if (!graph.node(n).name().empty() && builder_.node_names.Reserve(name)) {
      names[static_cast<std::size_t>(n)] = name;
    }
  }
  for (int n = 0; n < graph.node_size(); ++n) {
    std::string& name = names[static_cast<std::size_t>(n)];
    const auto& node = graph.node(n);
    if (name.empty()) {
      name = builder_.node_names.Make(scope.prefix + (node.name().empty()
                                                          ? fmt::format("{}_{}", node.op_type(), n)
                                                          : node.name()));
    }
  }
  return names;
}

std::vector<ValueId> Importer::InputsOfNode(const onnx::NodeProto& proto,
                                            const Scope& scope) const {
  std::vector<ValueId> inputs;
  for (const std::string& name : proto.input()) {
    inputs.push_back(name.empty() ? kNoValue : scope.Find(name));
  }
  while (!inputs.empty() && inputs.back() == kNoValue) {
    inputs.pop_back();
  }
  return inputs;
}

void Importer::ImportOperator(const onnx::NodeProto& proto, const std::string& name,
                              const std::unordered_set<std::string>& used, Scope& scope) {
  FileNode node{.type = proto.op_type(),
                .opset = opset_,
                .name = name,
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
  Upgrade(node, builder_);
  count = node.output_count;
  for (std::size_t i = 0; i < node.constant_outputs.size(); ++i) {
    const std::string& output = proto.output(static_cast<int>(count + i));
    scope.ids[output] =
        builder_.AddConstant(std::move(node.constant_outputs[i]), ValueName(output, scope));
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
                        .origins = {{name, proto.op_type(), outputs.empty() ? "" : outputs[0]}},
                        .attributes = std::move(node.attributes),
                        .inputs = std::move(node.inputs),
                        .outputs = {}},
                       outputs);
  for (std::size_t i = 0; i < count; ++i) {
    scope.ids[proto.output(static_cast<int>(i))] = ids[i];
  }
}

// Replaces the node by the nodes of the branch that its constant condition chooses.
void Importer::ImportIf(const onnx::NodeProto& proto, const std::string& name, Scope& scope) {
  const std::vector<ValueId> inputs = InputsOfNode(proto, scope);
  if (inputs.size() != 1) {
    throw Error(ErrorKind::kModel, fmt::format("expected 1 input, got {}", inputs.size()));
  }
  const Tensor& condition = builder_.ConstantOf(inputs[0], "the condition");
  if (condition.dtype() != DType::kBool || condition.ElementCount() != 1) {
    throw Error(ErrorKind::kModel, fmt::format("expected one bool as the condition, got {}",
                                               condition.type().ToString()));
  }
  const std::string_view wanted = IntegersOf(condition).at(0) != 0 ? "then_branch" : "else_branch";
  const onnx::GraphProto* branch = nullptr;
  for (const auto& attribute : proto.attribute()) {
    if (attribute.name() == wanted && attribute.has_g()) {
      branch = &attribute.g();
    }
  }
  if (branch == nullptr || branch->output_size() != proto.output_size()) {
    throw Error(ErrorKind::kModel,
                fmt::format("expected a {} with {} outputs, got {}", wanted, proto.output_size(),
                            branch == nullptr ? "none" : "another number"));
  }
  Scope inner{.ids = {}, .outer = &scope, .prefix = name + "/"};
  ImportNodes(*branch, inner);
  for (int i = 0; i < proto.output_size(); ++i) {
    const ValueId result = inner.Find(branch->output(i).name());
    if (result == kNoValue) {
      throw Error(ErrorKind::kModel, fmt::format("output '{}' of the {} is made by no node",
                                                 branch->output(i).name(), wanted));
    }
    // An Identity carries the name over; a pass removes it.
    Node copy{.op = OpKind::kIdentity,
              .name = i == 0 ? name : builder_.node_names.Make(fmt::format("{}/{}", name, i)),
              .origins = {},
              .attributes = {},
              .inputs = {result},
              .outputs = {}};
    copy.origins = {{copy.name, proto.op_type(), ValueName(proto.output(i), scope)}};
    scope.ids[proto.output(i)] =
        builder_.AddNode(std::move(copy), {ValueName(proto.output(i), scope)}).at(0);
  }
}

void Importer::ImportNode(const onnx::NodeProto& proto, const std::string& name,
                          const std::unordered_set<std::string>& used, Scope& scope) {
  if (proto.op_type() == "If") {
    ImportIf(proto, name, scope);
  } else if (proto.op_type() == "Constant") {
    if (proto.output_size() != 1 || proto.input_size() != 0) {
      throw Error(ErrorKind::kModel, fmt::format("expected no input and 1 output, got {} and {}",
                                                 proto.input_size(), proto.output_size()));
    }
    scope.ids[proto.output(0)] = builder_.AddConstant(
        ConstantNodeValue(AttributesOf(proto, folder_)), ValueName(proto.output(0), scope));
    builder_.graph.removed.push_back({name, proto.op_type()});
  } else {
    ImportOperator(proto, name, used, scope);
  }
}

void Importer::ImportNodes(const onnx::GraphProto& graph, Scope& scope) {
  RefuseMissingOperators(graph, opset_);
  const std::vector<int> order = NodeOrder(graph, [&](const std::string& name) {
    return scope.outer != nullptr && scope.outer->Find(name) != kNoValue;
  });
  AddInitializers(graph, scope);
  const std::vector<std::string> names = NodeNames(graph, scope);
  const std::unordered_set<std::string> used = UsedNames(graph);
  for (const int n : order) {
    const std::string& name = names[static_cast<std::size_t>(n)];
    WithContext([&] { return fmt::format("node '{}' ({})", name, graph.node(n).op_type()); },
                [&] { ImportNode(graph.node(n), name, used, scope); });
  }
}

ImportResult Importer::Run(const ImportOptions& options) {
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
    if (!seen.insert(output.name()).second) {
      throw Error(ErrorKind::kModel,
                  fmt::format("graph output '{}' is given twice", output.name()));
    }
    builder_.graph.outputs.push_back(id);
  }
  builder_.graph.name = graph.name();
  return {.graph = std::move(builder_.graph),
          .notes = std::move(inputs.notes),
          .opset = opset_,
          .producer = {}};
}

}  // namespace

ImportResult ImportGraph(const onnx::ModelProto& model, const std::filesystem::path& folder,
                         const ImportOptions& options) {
  return Importer(model, folder).Run(options);
}

}  // namespace halftone
