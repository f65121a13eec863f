// Comparison of what both programs make of a network: halftone in float32 and at a tuned point,
// ONNX Runtime in float32, float16 and int8, all in turns in one process.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "labs/onnxruntime/comparison.h"
#include "src/base/stats.h"
#include "src/runtimes/onnxruntime/ort_api.h"

namespace halftone {

// Names of BestCompared::forms: both of halftone, then those of PeerForms().
inline constexpr std::string_view kBestForms[] = {"ours_f32", "ours_best", "peer_f32", "peer_f16",
                                                  "peer_int8"};

struct ComparedForm {
  // If set: the form does not run, for this reason; nothing below means anything.
  std::string missing;
  // Relative L2 error of the worst output. The reference is float32 of the same program, and that
  // of ONNX Runtime for float32 of halftone.
  double rel_l2 = 0;
  double median_s = 0;
  // Time of the form by that of halftone in float32: above 1 that is faster.
  double ratio = 1;
  Interval ratio_interval{.low = 1, .high = 1};
  // The same by the time of the tuned point; empty where that is missing.
  std::optional<double> ratio_to_best;
};

struct BestCompared {
  std::array<ComparedForm, std::size(kBestForms)> forms;  // parallel to kBestForms
  std::string input_shapes;                               // "data_0:1,3,224,224"
  bool random_weights = false;
  double other_cores = 0;  // cores that other processes kept busy meanwhile
  std::size_t rounds = 0;
};

struct BestNetwork {
  std::string name;
  std::variant<BestCompared, NotCompared> outcome;
};

// Compares the model.onnx in `folder` as CompareNetwork() does, with `threads` threads. The point
// is that in the network's folder below options.tuned. Options of the plan, the peer, the profile
// and saving have no effect.
BestNetwork CompareBest(const OrtApi& api, const std::string& name,
                        const std::filesystem::path& folder, const ComparisonOptions& options,
                        int threads);

}  // namespace halftone
