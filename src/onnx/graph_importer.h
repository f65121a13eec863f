// Import of the nodes of a model, one class in several files: importer.cc has operators,
// control_flow.cc operators with bodies and functions, written_bodies.cc the cost of those,
// sequences.cc lists of tensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/onnx/functions.h"
#include "src/onnx/graph_builder.h"
#include "src/onnx/importer.h"
#include "src/onnx/reader.h"

namespace onnx {
class FunctionProto;
class GraphProto;
class ModelProto;
class NodeProto;
class TensorProto;
}  // namespace onnx

namespace halftone {

// Values of the names in one GraphProto; names of the graphs around it are visible.
struct Scope {
  std::unordered_map<std::string, ValueId> ids;
  const Scope* outer = nullptr;
  std::string prefix;  // of node and value names: "", "<node of the If>/", "<node of the Loop>/7/"

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

// A name may also stand for a list of tensors (sequences.cc): then its id is below kNoValue.
constexpr bool IsSequence(ValueId id) {
  return id < kNoValue;
}

// True if GraphImporter::ImportSequence() has operator `type`.
bool IsSequenceOperator(std::string_view type);

// Cost of writing out a body once.
struct BodyCost {
  std::int64_t written = 0;  // nodes and values
  double operations = 0;
};

BodyCost CostOf(const onnx::GraphProto& body);

class GraphImporter {
 public:
  // `initializers`: a cache of initializers, read from and added to, so that none is read from the
  // model twice. Null: all are read.
  GraphImporter(const onnx::ModelProto& model, std::filesystem::path folder,
                InitializerTensors* initializers = nullptr);

  ImportResult Run(const ImportOptions& options);

 private:
  // Imports the nodes of a graph, whose inputs and initializers are in `scope` or around it.
  void ImportNodes(const onnx::GraphProto& graph, Scope& scope);
  void AddInitializers(const onnx::GraphProto& graph, Scope& scope);
  [[nodiscard]] Tensor InitializerOf(const onnx::TensorProto& proto);
  [[nodiscard]] std::vector<std::string> NodeNames(const onnx::GraphProto& graph,
                                                   const Scope& scope);
  // The name in the file, where it differs from `name` and configuration files may use it; else
  // empty. Bodies of functions are templates: their nodes have the names that calls give them.
  [[nodiscard]] std::string OtherNameOf(const onnx::NodeProto& proto,
                                        const std::string& name) const;
  // Origins of a node of the file that is named `name` here: its own and its other name.
  [[nodiscard]] std::vector<Origin> OriginsOf(const onnx::NodeProto& proto, const std::string& name,
                                              const std::string& output) const;
  // Records the names of a removed node for files that configure it.
  void NoteRemoved(const onnx::NodeProto& proto, const std::string& name);
  // Records the names of all nodes of a body that does not run on the sample: the branch of an If
  // that is not taken, the body of a Loop without iterations; those of functions that it calls,
  // too. No more than kMostNoted bytes of names for a model.
  void NoteNotRun(const onnx::GraphProto& body, const std::string& prefix);
  void NoteNodeNotRun(const onnx::NodeProto& node, const std::string& name);
  void ImportNode(const onnx::NodeProto& proto, const std::string& name,
                  const std::unordered_set<std::string>& used, Scope& scope);
  void ImportOperator(const onnx::NodeProto& proto, const std::string& name,
                      const std::unordered_set<std::string>& used, Scope& scope);
  [[nodiscard]] std::string ValueName(const std::string& name, const Scope& scope);
  // Operands of the node; absent ones at the end are dropped.
  [[nodiscard]] std::vector<ValueId> InputsOfNode(const onnx::NodeProto& proto,
                                                  const Scope& scope) const;

  // Control flow follows the sample, or constants: a branch replaces its If, the bodies of Loop and
  // Scan are written out once per iteration.
  void ImportIf(const onnx::NodeProto& proto, const std::string& name, Scope& scope);
  void ImportLoop(const onnx::NodeProto& proto, const std::string& name, Scope& scope);
  void ImportScan(const onnx::NodeProto& proto, const std::string& name, Scope& scope);
  class CallFrame;
  // Imports the nodes of a function of the model in place of the node that calls it.
  void ImportCall(const onnx::NodeProto& proto, const onnx::FunctionProto& function,
                  const std::string& name, Scope& scope);
  // Adds to the nodes and values written out. Error kUnsupported beyond kMostWritten.
  void CountWritten(std::int64_t nodes);
  // Takes `cost` from the budget. Error kUnsupported when it does not afford it.
  void Spend(const LoadCost& cost);
  // Checks of CountWritten() and Spend() for all iterations together, where their number is known.
  void RequireAffordable(std::int64_t iterations, const BodyCost& body,
                         const std::string& prefix) const;
  [[nodiscard]] static LoadCost LoadCostOf(const BodyCost& body, const std::string& prefix);
  // The condition that the body of a Loop computes, where it is the same in each iteration.
  // `shared`: the names around the iterations.
  [[nodiscard]] std::optional<bool> KnownCondition(const onnx::GraphProto& body,
                                                   const Scope& shared);
  [[nodiscard]] static std::optional<bool> BoolOf(const Tensor& tensor);
  // The result of `make` for the tensor at `proto` in the model: called once, however often the
  // body is written out.
  [[nodiscard]] ValueId KeptConstant(const void* proto, const std::function<ValueId()>& make);
  void AllowForNodes();

  void ImportSequence(const onnx::NodeProto& proto, const std::string& name, Scope& scope);
  [[nodiscard]] ValueId NewSequence(std::vector<ValueId> values);
  [[nodiscard]] ValueId MadeSequence(const onnx::NodeProto& proto, const std::string& name,
                                     const Scope& scope);
  // The tensors that a SplitToSequence makes.
  [[nodiscard]] std::vector<ValueId> SplitParts(const onnx::NodeProto& proto,
                                                const std::string& name, const Scope& scope);
  [[nodiscard]] ValueId JoinedSequence(const onnx::NodeProto& proto, const std::string& name,
                                       const Scope& scope);
  // Operand 0 of `proto`, which must be a sequence; TensorInput() for one that must be a tensor.
  [[nodiscard]] const std::vector<ValueId>& SequenceOf(const onnx::NodeProto& proto,
                                                       const Scope& scope) const;
  [[nodiscard]] static ValueId TensorInput(const onnx::NodeProto& proto, int index,
                                           const Scope& scope);
  // Operand `index` as a position in a sequence of `length`, counted from its front; at most
  // `absent`, its default where it is left out.
  [[nodiscard]] std::int64_t PositionOf(const onnx::NodeProto& proto, int index,
                                        std::int64_t length, std::int64_t absent,
                                        const Scope& scope);
  // Error kModel naming `what` when `id` is a sequence.
  static void RequireTensor(ValueId id, std::string_view what);

  // Imports the nodes of `body` and returns the values of its outputs.
  [[nodiscard]] std::vector<ValueId> ImportBody(const onnx::GraphProto& body, Scope& scope,
                                                std::string_view what);
  // Imports one iteration of a Loop or Scan with operands `inputs`; `shared`: the names around it.
  [[nodiscard]] std::vector<ValueId> Iterate(const onnx::GraphProto& body, const BodyCost& cost,
                                             std::int64_t iteration,
                                             const std::vector<ValueId>& inputs,
                                             const Scope& shared);
  // The common extent of the operands that a Scan slices.
  [[nodiscard]] std::int64_t ScanLength(const std::vector<ValueId>& scanned,
                                        const std::vector<std::int64_t>& axes) const;
  // Adds an Identity that gives `value` the name of output `index` of `proto`.
  void NameOutput(const onnx::NodeProto& proto, int index, const std::string& name, ValueId value,
                  Scope& scope);
  // Adds Identities that give the outputs of `proto` their names and the node its own.
  void NameOutputs(const onnx::NodeProto& proto, const std::string& name,
                   const std::vector<ValueId>& results, Scope& scope);
  [[nodiscard]] ValueId AddHelper(OpKind op, const std::string& name, const onnx::NodeProto& proto,
                                  std::vector<ValueId> inputs, Attributes attributes = {});
  // Stacks one value per iteration along a new axis.
  [[nodiscard]] ValueId Stack(const std::vector<ValueId>& values, std::int64_t axis,
                              const std::string& name, const onnx::NodeProto& proto);
  [[nodiscard]] ValueId EmptyStack(ValueId like, std::int64_t axis, const std::string& name);

  const onnx::ModelProto& model_;
  std::filesystem::path folder_;
  InitializerTensors* initializers_;
  std::int64_t opset_;
  std::int64_t written_ = 0;  // nodes and values of iterations and functions
  int depth_ = 0;             // depth of calls
  ModelFunctions functions_;
  std::vector<std::vector<ValueId>> sequences_;
  std::unordered_map<const void*, ValueId> kept_constants_;
  std::size_t noted_ = 0;  // bytes that NoteNotRun() has recorded
  GraphBuilder builder_;
};

}  // namespace halftone
