// First stage of job 2: the fastest kernel of every operator of the typed configuration.
#pragma once

#include <vector>

#include "src/aoe/operator_entries.h"
#include "src/aoe/session.h"
#include "src/api/halftone.h"
#include "src/base/time_budget.h"

namespace halftone {

struct KernelStage {
  OperatorTuningResult tuning;
  std::vector<OperatorKernel> entries;  // per node, filtered by --tune_ops_file
};

// Prints the table of operators. Takes a share of `time` at most. Errors as TuneOperators().
KernelStage RunKernelStage(const AoeJob& job, const Model& model, const TargetSpec& target,
                           const PrecisionOptions& precision, const AoeHooks& hooks,
                           const TimeBudget& time);

}  // namespace halftone
