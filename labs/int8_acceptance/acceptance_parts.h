// Measurements of one network for the acceptance of 8 bits. Each function returns one part as the
// text of a JSON object.
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
  double budget_s = 2;         // seconds of timed runs for a network
  std::size_t samples = 1000;  // largest number of samples on which accuracy is measured
  KernelChoosing kernels;
};

// Accuracy of the uniform plans against float32, in 8 bits with and without bias correction:
// {"samples", "calibration_samples", "flatters", "groups", "calibration_s", "plans": {plan:
// {"groups", metrics...}}, "plans_without_bias_correction": likewise}. With labels, "float32_top1"
// is added.
std::string AccuracyFigures(const std::filesystem::path& folder, const PartOptions& options);

// Accuracy of the network in `rival` against float32 of the network in `folder`, on the test data
// in `folder`: {"network", "samples", "sqnr_db", "rel_l2"}. Both networks must have the same inputs
// and outputs.
std::string RivalFigures(const std::filesystem::path& folder, const std::filesystem::path& rival,
                         const PartOptions& options);

// Errors of both programs with all operators in 8 bits, each against its own float32, on the inputs
// that calibrated both: {"random_weights", "ours": {plan: rel_l2}, "groups": {plan: number of
// groups in 8 bits}, "theirs": rel_l2}, or "theirs_missing" with the reason.
std::string PeerErrorFigures(const OrtApi& api, const std::filesystem::path& folder,
                             const PartOptions& options);

// Times of the uniform plans, and of int8 in ONNX Runtime, in turns with float32: {"float32_ms",
// "ratio": {plan: time / that of float32}, "interval": {plan: [low, high]}, "missing": {plan:
// reason}, "rounds", "other_cores", "random_weights"}.
std::string SpeedFigures(const OrtApi& api, const std::filesystem::path& folder,
                         const PartOptions& options);

// Cost of calibration and probes with `samples` samples: {"samples", "calibration_s", "probes_s",
// "probes_without_int8_s"}. If the network has fewer samples, they are repeated.
std::string CostFigures(const std::filesystem::path& folder, std::size_t samples,
                        const PartOptions& options);

// Errors of plans with 8 bits, as predicted by the probes alone and as measured: {"samples",
// "plans": [{"quantised", "predicted", "measured"}], "plans_without_bias_correction": likewise}.
std::string PredictionFigures(const std::filesystem::path& folder, const PartOptions& options);

// Outputs of a tuned point as a QDQ file in ONNX Runtime, compared with those of halftone; `point`
// is the folder of the point, as `halftone tune` writes it: {"samples", "opset", "tensors",
// "products", "bytes", "notes", metrics...}.
std::string QdqFigures(const OrtApi& api, const std::filesystem::path& folder,
                       const std::filesystem::path& point, const PartOptions& options);

}  // namespace halftone
