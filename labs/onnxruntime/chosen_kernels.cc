#include "labs/onnxruntime/chosen_kernels.h"

#include "src/api/operator_tuning.h"

namespace halftone {

KernelChoices ChooseKernels(const Model& model, const std::string& samples,
                            const PrecisionOptions& precision, int threads,
                            const KernelChoosing& choosing) {
  const TargetSpec target = LoadTarget("host");
  if (choosing.mode != OperatorTuningMode::kOff) {
    OperatorTuningOptions options;
    options.mode = choosing.mode;
    options.data = {.inputs = samples, .max_samples = 1, .generated_samples = 1};
    options.measure = {.threads = threads, .seed = choosing.seed};
    options.bank = choosing.bank;
    TuneOperators(model, target, precision, options);
  }
  return LoadKernelChoices(model, choosing.bank, target.name, threads);
}

}  // namespace halftone
