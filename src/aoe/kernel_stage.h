// First stage of job 2: finds the fastest kernel of every operator of the baseline.
#pragma once

#include <span>
#include <vector>

#include "src/aoe/operator_entries.h"
#include "src/aoe/session.h"
#include "src/api/halftone.h"
#include "src/api/operator_tuning.h"
#include "src/base/time_budget.h"

namespace halftone {

struct KernelStage {
  // Mean of OperatorTuningResult::ratio() over the input shapes, weighted by their samples.
  double ratio = 1;
  // Nodes that --tune_ops_file selects, at the first input shape.
  std::vector<OperatorKernel> entries;
};

// Tunes the operators at each input shape and prints a table for each shape. All shapes together
// take at most job.operator_budget_s and a quarter of `time`. Errors as TuneOperators().
KernelStage RunKernelStage(const AoeJob& job, std::span<const Model> profiles,
                           const TargetSpec& target, const PrecisionOptions& precision,
                           const AoeHooks& hooks, const TimeBudget& time);

}  // namespace halftone
