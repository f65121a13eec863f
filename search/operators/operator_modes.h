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

// An operator that has several implementation modes for the dtypes of its plan.
struct OperatorModes {
  std::string node;
  std::string ir_type;
  std::vector<std::string> fused_names;  // names of the ONNX nodes fused into it
  std::vector<std::string> fused_types;  // their IR types
  ImplMode current = ImplMode::kDefault;
  std::vector<ImplMode> others;
};

// Returns an OperatorModes with the first four members set, which identify the operator.
OperatorModes NamesOf(const Graph& graph, const Node& node);

struct OperatorProblem {
  // The options with the implementation modes written out: each operator that has a choice has its
  // mode under [ByNodeName]. The plan is the same, but the modes of single operators can be
  // changed.
  PrecisionOptions baseline;
  std::vector<OperatorModes> operators;  // in graph order
  std::vector<std::string> notes;        // operators that the ini format cannot name
};

// Resolves the options on the target and lists the operators that have other modes. Errors: those
// of ResolvePrecision().
OperatorProblem MakeOperatorProblem(const Graph& graph, const PrecisionOptions& options,
                                    const TargetSpec& target);

// The baseline with the mode of one operator changed.
Candidate WithMode(const OperatorProblem& problem, std::size_t index, ImplMode mode);

struct OperatorSearchOptions {
  bool in_pairs = false;
  Constraints constraints;  // without a bound on accuracy: as accurate as the baseline
};

// Proposes the baseline, then each change of one operator to one of its other modes. A change gains
// if it is accurate enough and faster than the baseline; of each operator, only the best change is
// used further. With `in_pairs`, each pair of these changes is proposed. Last, all of them are
// proposed together; while such a set fails or is not accurate enough, the half of it with the
// larger gains is proposed. Deterministic; a rejected change does not gain.
std::unique_ptr<SearchStrategy> MakeOperatorStrategy(const OperatorProblem& problem,
                                                     const OperatorSearchOptions& options = {});

}  // namespace halftone
