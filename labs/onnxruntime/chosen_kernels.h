// Kernels of the compared networks, chosen by measurement as `tune` and `run` with a knowledge base
// do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "src/api/halftone.h"

namespace halftone {

struct KernelChoosing {
  OperatorTuningMode mode = OperatorTuningMode::kProfile;
  std::filesystem::path bank;  // keeps the machine profile and the timings of all networks
  std::uint64_t seed = 1;
};

// Tunes the operators of the network with these options for `threads` threads, and returns what the
// knowledge base then holds for the network. `samples`: of LoadDataset(). Errors as
// TuneOperators().
KernelChoices ChooseKernels(const Model& model, const std::string& samples,
                            const PrecisionOptions& precision, int threads,
                            const KernelChoosing& choosing);

}  // namespace halftone
