// Implementation modes of single operators with fixed dtypes: the search space of `halftone aoe
// --job_type=2`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "search/strategies/strategy.h"
#include "search/trial/candidate.h"
#include "search/trial/constraints.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/target/target_spec.h"

namespace halftone {

// An operator that has another implementation for the dtypes of its plan.
struct OperatorModes {
  std::string node;
  std::string ir_type;
  std::vector<std::string> fused_names;  // names of the ONNX nodes fused into it
  std::vector<std::string> fused_types;  // their IR types
  ImplMode current = ImplMode::kDefault;
  std::vector<ImplMode> others;
};

// Fills the first four members, which address an operator.
OperatorModes NamesOf(const Graph& graph, const Node& node);

struct OperatorProblem {
  // The options, with the implementation mode of every operator that has a choice written out under
  // [ByNodeName]. The plan is the same, but single modes can be changed.
  PrecisionOptions baseline;
  std::vector<OperatorModes> operators;  // in graph order
  std::vector<std::string> notes;        // operators that the ini format cannot name
};

// Resolves the options on the target and lists the operators with other modes. Errors as
// ResolvePrecision.
OperatorProblem MakeOperatorProblem(const Graph& graph, const PrecisionOptions& options,
                                    const TargetSpec& target);

// The baseline with one operator's mode changed.
Candidate WithMode(const OperatorProblem& problem, std::size_t index, ImplMode mode);

struct OperatorSearchOptions {
  bool in_pairs = false;
  Constraints constraints;  // without a bound on accuracy: at least as accurate as the baseline
};

// Proposes the baseline, then every operator alone in each of its other modes. A change gains if it
// is faster than the baseline and accurate enough. With `in_pairs`, proposes each pair of changes
// that gained. Last, proposes all changes that gained together; while these fail or are not
// accurate enough, the half of them with the larger gain. Deterministic; a rejection gains nothing.
std::unique_ptr<SearchStrategy> MakeOperatorStrategy(const OperatorProblem& problem,
                                                     const OperatorSearchOptions& options = {});

}  // namespace halftone
