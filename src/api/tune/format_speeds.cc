#include "src/api/tune/format_speeds.h"

#include "src/api/bank/stored_profile.h"
#include "src/api/tune/calibration.h"

namespace halftone {

FormatSpeeds SpeedsFor(const RunInputs& inputs, TimeBudget& budget) {
  const PhaseScope scope(budget, BudgetPhase::kKernels);
  const TargetSpec& target = inputs.target();
  const TuneOptions& options = inputs.options;
  FormatSpeeds speeds;
  if (target.is_host() && options.measure.on.runtime.empty() && inputs.bank.store != nullptr) {
    speeds.times = StoredFormatTimes(inputs.threads, *inputs.bank.store);
  }
  if (options.operator_tuning == OperatorTuningMode::kOff || !target.is_host() ||
      options.quantize.mode ||
      QuantizeModeFor(options, target, inputs.samples.searched(), {}) == QuantizeMode::kOff ||
      (inputs.stored_only && speeds.times.empty())) {
    return speeds;
  }
  TrialStore& store = inputs.bank.kernels();
  speeds.scaled = StoredScaledSpeed(target, ThreadPool(inputs.threads), options.seed, store);
  speeds.times = StoredFormatTimes(inputs.threads, store);
  return speeds;
}

}  // namespace halftone
