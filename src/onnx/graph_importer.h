// Importer of the nodes of a model. The class has several source files: importer.cc (operators),
// control_flow.cc (If, Loop, Scan), functions.cc (calls of functions), written_bodies.cc (cost of
// bodies), sequences.cc (lists of tensors).
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

// Values by their names in one GraphProto. Names of the graphs around it are visible, too.
struct Scope {
  std::unordered_map<std::string, ValueId> ids;
  const Scope* outer = nullptr;
  // Prefix of node and value names: "", "<node of the If>/", "<node of the Loop>/7/".
  std::string prefix;

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

// True for an id that stands for a list of tensors in place of a value (sequences.cc).
constexpr bool IsSequence(ValueId id) {
  return id < kNoValue;
}

// True if GraphImporter::ImportSequence() knows operator `type`.
bool IsSequenceOperator(std::string_view type);

// Cost of adding the nodes of a body to the graph once.
struct BodyCost {
  std::int64_t written = 0;  // number of nodes and values
  double operations = 0;
};

BodyCost CostOf(const onnx::GraphProto& body);

class GraphImporter {
 public:
  // `initializers`: cache of initializers. Those in it are not read from the model again, others
  // are added. Null: there is no cache. `model` and the cache must outlive the importer.
  GraphImporter(const onnx::ModelProto& model, std::filesystem::path folder,
                InitializerTensors* initializers = nullptr);

  ImportResult Run(const ImportOptions& options);

 private:
  // Imports the nodes of a graph. `scope` and the scopes around it hold inputs and initializers.
  void ImportNodes(const onnx::GraphProto& graph, Scope& scope);
  void AddInitializers(const onnx::GraphProto& graph, Scope& scope);
  [[nodiscard]] Tensor InitializerOf(const onnx::TensorProto& proto);
  [[nodiscard]] std::vector<std::string> NodeNames(const onnx::GraphProto& graph,
                                                   const Scope& scope);
  // Returns the other name of a node (src/ir/other_names.h): its name in the file, if `name`
  // differs. Empty in bodies of functions: those are templates, whose nodes are named by the calls.
  [[nodiscard]] std::string OtherNameOf(const onnx::NodeProto& proto,
                                        const std::string& name) const;
  // Returns the origins of a node of the file that is called `name` in the graph.
  [[nodiscard]] std::vector<Origin> OriginsOf(const onnx::NodeProto& proto, const std::string& name,
                                              const std::string& output) const;
  // Adds a node that is not in the graph to Graph::removed.
  void NoteRemoved(const onnx::NodeProto& proto, const std::string& name);
  // Adds all nodes of a body that does not run to Graph::removed, also those of functions that it
  // calls. Such a body is a branch of an If that is not taken, or the body of a Loop without
  // iterations. Stops after 16 MiB of names.
  void NoteNotRun(const onnx::GraphProto& body, const std::string& prefix);
  void NoteNodeNotRun(const onnx::NodeProto& node, const std::string& name);
  void ImportNode(const onnx::NodeProto& proto, const std::string& name,
                  const std::unordered_set<std::string>& used, Scope& scope);
  void ImportOperator(const onnx::NodeProto& proto, const std::string& name,
                      const std::unordered_set<std::string>& used, Scope& scope);
  [[nodiscard]] std::string ValueName(const std::string& name, const Scope& scope);
  // Returns the operands of the node, without absent ones at the end.
  [[nodiscard]] std::vector<ValueId> InputsOfNode(const onnx::NodeProto& proto,
                                                  const Scope& scope) const;

  // Import control flow as constants or the sample decide it. The nodes of one branch replace an
  // If. The nodes of the body of a Loop or Scan are added once for each iteration.
  void ImportIf(const onnx::NodeProto& proto, const std::string& name, Scope& scope);
  void ImportLoop(const onnx::NodeProto& proto, const std::string& name, Scope& scope);
  void ImportScan(const onnx::NodeProto& proto, const std::string& name, Scope& scope);
  class CallFrame;
  // Imports the nodes of a function of the model in place of the node that calls it.
  void ImportCall(const onnx::NodeProto& proto, const onnx::FunctionProto& function,
                  const std::string& name, Scope& scope);
  // Counts nodes and values that iterations and functions add. Error kUnsupported: more than
  // kMostWritten in all.
  void CountWritten(std::int64_t nodes);
  // Takes `cost` from the budget. Error kUnsupported: the budget has not enough left.
  void Spend(const LoadCost& cost);
  // Makes the checks of CountWritten() and Spend() in advance for all iterations of a body, if
  // their number is known.
  void RequireAffordable(std::int64_t iterations, const BodyCost& body,
                         const std::string& prefix) const;
  [[nodiscard]] static LoadCost LoadCostOf(const BodyCost& body, const std::string& prefix);
  // Returns the condition that the body of a Loop computes, if it is the same in each iteration;
  // else empty. `shared`: the scope around the iterations.
  [[nodiscard]] std::optional<bool> KnownCondition(const onnx::GraphProto& body,
                                                   const Scope& shared);
  [[nodiscard]] static std::optional<bool> BoolOf(const Tensor& tensor);
  // Returns the constant of `proto`, a part of the model. Calls `make` for the first use only, so
  // that a body that is added several times shares its constants.
  [[nodiscard]] ValueId KeptConstant(const void* proto, const std::function<ValueId()>& make);
  void AllowForNodes();

  void ImportSequence(const onnx::NodeProto& proto, const std::string& name, Scope& scope);
  [[nodiscard]] ValueId NewSequence(std::vector<ValueId> values);
  [[nodiscard]] ValueId MadeSequence(const onnx::NodeProto& proto, const std::string& name,
                                     const Scope& scope);
  // Returns the tensors that a SplitToSequence makes.
  [[nodiscard]] std::vector<ValueId> SplitParts(const onnx::NodeProto& proto,
                                                const std::string& name, const Scope& scope);
  [[nodiscard]] ValueId JoinedSequence(const onnx::NodeProto& proto, const std::string& name,
                                       const Scope& scope);
  // Returns operand 0 of `proto`. Error kModel: it is no sequence. TensorInput() returns operand
  // `index`; error kModel: it is no tensor.
  [[nodiscard]] const std::vector<ValueId>& SequenceOf(const onnx::NodeProto& proto,
                                                       const Scope& scope) const;
  [[nodiscard]] static ValueId TensorInput(const onnx::NodeProto& proto, int index,
                                           const Scope& scope);
  // Returns operand `index` as a position in a sequence of `length` tensors, counted from the
  // front. `absent`: the greatest position, and the default if the operand is left out.
  [[nodiscard]] std::int64_t PositionOf(const onnx::NodeProto& proto, int index,
                                        std::int64_t length, std::int64_t absent,
                                        const Scope& scope);
  // Throws Error kModel, which names `what`, if `id` is a sequence.
  static void RequireTensor(ValueId id, std::string_view what);

  // Imports the nodes of `body` and returns its outputs. `what` names the body in messages.
  [[nodiscard]] std::vector<ValueId> ImportBody(const onnx::GraphProto& body, Scope& scope,
                                                std::string_view what);
  // Imports one iteration of a Loop or Scan with operands `inputs` and returns its outputs.
  // `shared`: the scope around the iterations.
  [[nodiscard]] std::vector<ValueId> Iterate(const onnx::GraphProto& body, const BodyCost& cost,
                                             std::int64_t iteration,
                                             const std::vector<ValueId>& inputs,
                                             const Scope& shared);
  // Returns the number of iterations of a Scan: the common extent of the operands that it slices.
  // Error kModel: the extents differ.
  [[nodiscard]] std::int64_t ScanLength(const std::vector<ValueId>& scanned,
                                        const std::vector<std::int64_t>& axes) const;
  // Adds an Identity that gives `value` the name of output `index` of `proto`.
  void NameOutput(const onnx::NodeProto& proto, int index, const std::string& name, ValueId value,
                  Scope& scope);
  // Adds an Identity for each output of `proto`, which gives that name to the result. The Identity
  // of output 0 has the name of the node.
  void NameOutputs(const onnx::NodeProto& proto, const std::string& name,
                   const std::vector<ValueId>& results, Scope& scope);
  [[nodiscard]] ValueId AddHelper(OpKind op, const std::string& name, const onnx::NodeProto& proto,
                                  std::vector<ValueId> inputs, Attributes attributes = {});
  // Adds nodes that stack one value per iteration along a new axis.
  [[nodiscard]] ValueId Stack(const std::vector<ValueId>& values, std::int64_t axis,
                              const std::string& name, const onnx::NodeProto& proto);
  [[nodiscard]] ValueId EmptyStack(ValueId like, std::int64_t axis, const std::string& name);

  const onnx::ModelProto& model_;
  std::filesystem::path folder_;
  InitializerTensors* initializers_;
  std::int64_t opset_;
  std::int64_t written_ = 0;  // number counted by CountWritten()
  int depth_ = 0;             // depth of calls of functions
  ModelFunctions functions_;
  std::vector<std::vector<ValueId>> sequences_;
  std::unordered_map<const void*, ValueId> kept_constants_;
  std::size_t noted_ = 0;  // bytes of names that NoteNotRun() has added
  GraphBuilder builder_;
};

}  // namespace halftone
