// Comparison of the best forms that both programs have of a network: halftone in float32 and at a
// tuned point, ONNX Runtime in float32, float16 and int8. All forms run in turns in one process.
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

// Names of BestCompared::forms: the two forms of halftone, then those of PeerForms().
inline constexpr std::string_view kBestForms[] = {"ours_f32", "ours_best", "peer_f32", "peer_f16",
                                                  "peer_int8"};

struct ComparedForm {
  // Reason why the form does not run; then the other members have no meaning. Empty: the form runs.
  std::string missing;
  // Relative L2 error of the worst output, against float32 of the same program. The error of
  // halftone's float32 is against that of ONNX Runtime.
  double rel_l2 = 0;
  double median_s = 0;
  // Time over the time of halftone in float32. Above 1, halftone in float32 is faster.
  double ratio = 1;
  Interval ratio_interval{.low = 1, .high = 1};
  // Time over the time of the tuned point; empty if there is no such point.
  std::optional<double> ratio_to_best;
};

struct BestCompared {
  std::array<ComparedForm, std::size(kBestForms)> forms;  // parallel to kBestForms
  std::string input_shapes;                               // "data_0:1,3,224,224"
  bool random_weights = false;
  double other_cores = 0;  // cores that other processes kept busy during the comparison
  std::size_t rounds = 0;  // rounds of the timing
};

struct BestNetwork {
  std::string name;
  std::variant<BestCompared, NotCompared> outcome;
};

// Compares the forms of the model.onnx in `folder`, as CompareNetwork() does, with `threads`
// threads. The tuned point is the folder `name` below options.tuned. The options `plan`, `peer`,
// `profiled_nodes` and `save` have no effect.
BestNetwork CompareBest(const OrtApi& api, const std::string& name,
                        const std::filesystem::path& folder, const ComparisonOptions& options,
                        int threads);

}  // namespace halftone
