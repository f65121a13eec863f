// Chooses the kernels of the compared networks by measurement, as `tune` and `run` do with a
// knowledge base.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "src/api/halftone.h"
#include "src/api/operator_tuning.h"

namespace halftone {

struct KernelChoosing {
  OperatorTuningMode mode = OperatorTuningMode::kProfile;
  std::filesystem::path bank;  // stores the machine profile and the timings of all networks
  std::uint64_t seed = 1;
};

// Tunes the operators of the network with these options for `threads` threads (except with
// OperatorTuningMode::kOff). Returns the kernels that the knowledge base then holds for the
// network. `samples`: argument of LoadDataset(). Errors: those of TuneOperators().
KernelChoices ChooseKernels(const Model& model, const std::string& samples,
                            const PrecisionOptions& precision, int threads,
                            const KernelChoosing& choosing);

}  // namespace halftone
