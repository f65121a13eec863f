// Adds nodes to a Graph one by one, in topological order: checks operands against the operator's
// signature, infers types, folds what is constant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/ir/graph.h"
#include "src/onnx/tracer.h"
#include "src/passes/load_budget.h"

namespace halftone {

// Names that are handed out once. A name that is taken gets the first free suffix _2, _3, ...
class UniqueNames {
 public:
  // Keeps `name` for a caller that will use it as it is. False: it was taken.
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

  // The values of a constant operand, or those that it has on the sample. Error kUnsupported naming
  // `what` when it is not constant and there is no sample.
  const Tensor& ConstantOf(ValueId id, std::string_view what);

  // Counts an initializer that is about to be read. Error kUnsupported when all of them would not
  // fit into max_bytes.
  void Reserve(const TensorType& type);

  LoadBudget budget;           // of folding, and of what is written out more than once
  std::int64_t max_bytes = 0;  // of initializers together, and of any value; 0: no limit
  Graph graph;
  UniqueNames value_names;
  UniqueNames node_names;
  std::optional<Tracer> tracer;     // empty: there is no sample
  std::vector<TracedValue> traced;  // what was taken from it, in order

 private:
  void RequireFits(const TensorType& type, std::int64_t bytes) const;
  // Why the results of `node`, which only constants go into, are none: what it, or one before it,
  // would take of the budget. Else empty.
  [[nodiscard]] std::string WhyUnfolded(const Node& node, const KernelQuery& query) const;
  // Error kUnsupported with that reason, if there is one: `what` is needed.
  void RequireFolded(ValueId id, std::string_view what) const;
  // A constant with what `id` is on the sample.
  ValueId Traced(ValueId id);
  // Writes how many elements a node of HasRunTimeExtent() finds on the sample
  // (run_time_extents.cc).
  void PlanCount(Node& node);
  // A Compress whose condition is known in a run only is NonZero and Gather.
  [[nodiscard]] bool IsRunTimeCompress(const Node& node) const;
  [[nodiscard]] Node GatherForCompress(Node node);
  ValueId AddPart(const Node& of, OpKind op, std::string_view part, std::vector<ValueId> inputs);
  [[nodiscard]] std::vector<TensorType> InferTypes(Node& node, int output_count);

  std::unordered_map<ValueId, ValueId> traced_ids_;
  std::unordered_map<ValueId, std::string> unfolded_;  // values, and why they are no constants
  std::int64_t initializer_bytes_ = 0;
};

}  // namespace halftone
