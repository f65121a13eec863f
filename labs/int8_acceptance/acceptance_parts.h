// Measurements of one network for the acceptance of 8 bits; each part is the text of a JSON object.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "labs/int8_acceptance/calibrated_network.h"
#include "labs/onnxruntime/chosen_kernels.h"
#include "src/runtimes/onnxruntime/ort_api.h"

namespace halftone {

struct PartOptions {
  int threads = 1;
  double budget_s = 2;         // of timed runs, of a network
  std::size_t samples = 1000;  // most that accuracy is measured on
  KernelChoosing kernels;
};

// {"samples", "flatters", "plans": [{name, groups, metrics...}], "calibration_s"}: accuracy of the
// uniform plans against float32, in 8 bits with and without bias correction.
std::string AccuracyFigures(const std::filesystem::path& folder, const PartOptions& options);

// {"sqnr_db"} of another network with the same inputs and outputs against float32 of the one in
// `folder`, on the test data of that.
std::string RivalFigures(const std::filesystem::path& folder, const std::filesystem::path& rival,
                         const PartOptions& options);

// {"ours": {plan: rel_l2}, "theirs": rel_l2}: of all operators in 8 bits, each against its own
// float32, on the inputs with which both are calibrated.
std::string PeerErrorFigures(const OrtApi& api, const std::filesystem::path& folder,
                             const PartOptions& options);

// {"ms": {plan: median}, "ratio": {plan: time / float32}, "theirs": ...}: uniform plans and int8 of
// ONNX Runtime in turns with float32.
std::string SpeedFigures(const OrtApi& api, const std::filesystem::path& folder,
                         const PartOptions& options);

// {"calibration_s", "probes_s", "probes_without_int8_s", "samples"}: of so many samples, repeated
// where there are fewer.
std::string CostFigures(const std::filesystem::path& folder, std::size_t samples,
                        const PartOptions& options);

// {"samples", "plans", "plans_without_bias_correction": [{quantised, predicted, measured}]}: errors
// of plans with 8 bits as the probes alone predict them, and as measured.
std::string PredictionFigures(const std::filesystem::path& folder, const PartOptions& options);

// {"samples", "tensors", metrics...}: the point in `point` of halftone tune as a QDQ file in ONNX
// Runtime, its outputs against those of halftone.
std::string QdqFigures(const OrtApi& api, const std::filesystem::path& folder,
                       const std::filesystem::path& point, const PartOptions& options);

}  // namespace halftone
