// What the user demands of a configuration.
#pragma once

#include <optional>
#include <string>

#include "search/trial.h"

namespace halftone {

struct Constraints {
  std::optional<double> min_sqnr_db;        // mean over the samples, at least
  std::optional<double> max_top1_drop;      // fraction: fp32 top-1 minus candidate's, at most
  std::optional<double> max_latency_ratio;  // candidate / fp32, at most

  [[nodiscard]] bool any() const { return min_sqnr_db || max_top1_drop || max_latency_ratio; }

  friend bool operator==(const Constraints&, const Constraints&) = default;
};

// Empty when `measurement` meets all bounds, else the first that it misses, in words with numbers.
// max_top1_drop is judged with labels where there are any (`reference_top1`), else as
// 1 - top1_agreement.
std::optional<std::string> Violation(const Constraints& constraints, const Measurement& measurement,
                                     std::optional<double> reference_top1);

}  // namespace halftone
