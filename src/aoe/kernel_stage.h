// First stage of job 2: the fastest kernel of every operator of the typed configuration.
#pragma once

#include <span>
#include <vector>

#include "src/aoe/operator_entries.h"
#include "src/aoe/session.h"
#include "src/api/halftone.h"
#include "src/base/time_budget.h"

namespace halftone {

struct KernelStage {
  double ratio = 1;  // OperatorTuningResult::ratio(), the mean over the samples of all input shapes
  std::vector<OperatorKernel> entries;  // per node of the first shape, by --tune_ops_file
};

// Tunes the operators at each input shape. The shapes share the budget and take at most a share of
// `time` together. Prints their tables. Errors as TuneOperators().
KernelStage RunKernelStage(const AoeJob& job, std::span<const Model> profiles,
                           const TargetSpec& target, const PrecisionOptions& precision,
                           const AoeHooks& hooks, const TimeBudget& time);

}  // namespace halftone
