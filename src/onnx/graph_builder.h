// Builder of a Graph, node by node in topological order: checks operands against the operator's
// signature, infers types, folds constants.
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

// Names that are handed out once. A name that is taken gets the first free suffix _2, _3, ...
class UniqueNames {
 public:
  // Reserves `name` for a caller that uses it unchanged. False: it was taken.
  bool Reserve(std::string_view name);
  std::string Make(std::string_view wanted);

 private:
  std::unordered_map<std::string, int> taken_;  // name, and the last suffix tried
};

class GraphBuilder {
 public:
  // A constant that the importer makes up (an attribute that became an input): the name is made
  // unique.
  ValueId AddHelperConstant(Tensor tensor, std::string_view name);

  // A constant under exactly this name.
  ValueId AddConstant(Tensor tensor, std::string name);

  // Appends `node`, whose outputs are empty, and a value for each name; or, when the result is
  // constant, the constants only. Error kModel/kUnsupported from the checks and the shape rule.
  std::vector<ValueId> AddNode(Node node, const std::vector<std::string>& output_names);

  // A node between those of the file: one output, named by the builder.
  ValueId AddHelperNode(Node node);

  // The values of a constant operand, or its values on the sample. Error kUnsupported naming `what`
  // when it is not constant and there is no sample.
  const Tensor& ConstantOf(ValueId id, std::string_view what);

  // Counts an initializer before it is read. Error kUnsupported when all initializers together
  // would not fit into max_bytes.
  void Reserve(const TensorType& type);

  LoadBudget budget;           // of folding, and of bodies that are written out repeatedly
  std::int64_t max_bytes = 0;  // limit for the initializers together and for any value; 0: none
  Graph graph;
  UniqueNames value_names;
  UniqueNames node_names;
  std::optional<Tracer> tracer;     // empty: there is no sample
  std::vector<TracedValue> traced;  // values taken from the sample, in order

 private:
  void RequireFits(const TensorType& type, std::int64_t bytes) const;
  // Reason why the results of `node`, which has constant operands only, were not folded: the share
  // of the budget that the node, or one before it, would take. Empty: not for want of budget.
  [[nodiscard]] std::string WhyUnfolded(const Node& node, const KernelQuery& query) const;
  // Error kUnsupported with the reason of WhyUnfolded(), if there is one; `what` needs the value.
  void RequireFolded(ValueId id, std::string_view what) const;
  // A constant with the value of `id` on the sample.
  ValueId Traced(ValueId id);
  // Writes the number of elements that a node of HasRunTimeExtent() finds on the sample
  // (run_time_extents.cc).
  void PlanCount(Node& node);
  // True if a Compress has a condition known only in a run: it becomes NonZero and Gather.
  [[nodiscard]] bool IsRunTimeCompress(const Node& node) const;
  [[nodiscard]] Node GatherForCompress(Node node);
  ValueId AddPart(const Node& of, OpKind op, std::string_view part, std::vector<ValueId> inputs);
  [[nodiscard]] std::vector<TensorType> InferTypes(Node& node, int output_count);

  std::unordered_map<ValueId, ValueId> traced_ids_;
  std::unordered_map<ValueId, std::string> unfolded_;  // values, and why they were not folded
  std::int64_t initializer_bytes_ = 0;
};

}  // namespace halftone
