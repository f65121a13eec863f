// Builder of a Graph, node by node in topological order. It checks operands against the signatures
// of operators, infers types and folds constants.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/ir/graph.h"
#include "src/onnx/tracer.h"
#include "src/passes/fold/load_budget.h"

namespace halftone {

// Set of names in use, which makes new names unique.
class UniqueNames {
 public:
  // Takes exactly this name. False: it is in use.
  bool Reserve(std::string_view name);
  // Takes `wanted`, with the first free suffix _2, _3, ... if it is in use, and returns it.
  std::string Make(std::string_view wanted);

 private:
  std::unordered_map<std::string, int> taken_;  // name, and the last suffix tried
};

class GraphBuilder {
 public:
  // Adds a constant that is not in the file, such as an attribute that became an input. `name` is
  // made unique.
  ValueId AddHelperConstant(Tensor tensor, std::string_view name);

  // Adds a constant under exactly this name.
  ValueId AddConstant(Tensor tensor, std::string name);

  // Appends `node`, which has no outputs yet, and a value for each output name. If all results can
  // be folded, adds only constants, without the node. Returns the outputs. Errors kModel,
  // kUnsupported: from the checks and the shape rule.
  std::vector<ValueId> AddNode(Node node, const std::vector<std::string>& output_names);

  // Appends a node that is not in the file. It has one output, which gets a unique name.
  ValueId AddHelperNode(Node node);

  // Returns the elements of `id`: those of the constant, or else those on the sample. `what` names
  // the value in messages. Error kUnsupported: it is neither constant nor known from a sample.
  const Tensor& ConstantOf(ValueId id, std::string_view what);

  // Counts an initializer before it is read. Error kUnsupported: all initializers together exceed
  // max_bytes.
  void Reserve(const TensorType& type);

  LoadBudget budget;  // limits the cost of folding and of bodies that are written out repeatedly
  std::int64_t max_bytes = 0;  // limit on all initializers together, and on each value; 0: none
  Graph graph;
  UniqueNames value_names;
  UniqueNames node_names;
  std::optional<Tracer> tracer;     // empty: there is no sample
  std::vector<TracedValue> traced;  // values taken from the sample, in the order of their use

 private:
  void RequireFits(const TensorType& type, std::int64_t bytes) const;
  // Says, for messages, which node was too costly to fold, `node` or one before it, so that the
  // results of `node` are not constant. Empty: the budget is not the reason.
  [[nodiscard]] std::string WhyUnfolded(const Node& node, const KernelQuery& query) const;
  // Throws Error kUnsupported with the text of WhyUnfolded() for the value, if there is one.
  // `what`: name of the value in the message.
  void RequireFolded(ValueId id, std::string_view what) const;
  // Returns a constant with the elements of `id` on the sample.
  ValueId Traced(ValueId id);
  // Sets Node::planned_count of a node of HasRunTimeExtent() to the number of results on the sample
  // (run_time_extents.cc).
  void PlanCount(Node& node);
  // True for a Compress with a condition that only a run knows. It becomes NonZero and Gather.
  [[nodiscard]] bool IsRunTimeCompress(const Node& node) const;
  [[nodiscard]] Node GatherForCompress(Node node);
  ValueId AddPart(const Node& of, OpKind op, std::string_view part, std::vector<ValueId> inputs);
  [[nodiscard]] std::vector<TensorType> InferTypes(Node& node, int output_count);

  std::unordered_map<ValueId, ValueId> traced_ids_;
  std::unordered_map<ValueId, std::string> unfolded_;  // WhyUnfolded() by value
  std::int64_t initializer_bytes_ = 0;
};

}  // namespace halftone
