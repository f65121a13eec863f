#include "src/accuracy/metric_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/accuracy/metrics.h"

namespace halftone {

std::string_view WordOfValue(std::string_view metric, double value) {
  if (metric == "sqnr_db" && value >= kExactSqnrDb) {
    return "exact";
  }
  const bool broken = (metric == "sqnr_db" && value <= -kExactSqnrDb) ||
                      (metric == "rel_l2" && value >= kBrokenRelL2) ||
                      (metric == "max_abs" && value >= kBrokenMaxAbs);
  return broken ? "not finite" : "";
}

std::string FormatSqnr(double sqnr_db) {
  constexpr double kHalfOfADigit = 0.05;  // less is 0.0, and never -0.0
  if (const std::string_view word = WordOfValue("sqnr_db", sqnr_db); !word.empty()) {
    return std::string(word);
  }
  const double shown = std::min(sqnr_db, kMostInexactDb);
  return fmt::format("{:.1f} dB", std::fabs(shown) < kHalfOfADigit ? 0.0 : shown);
}

}  // namespace halftone
