// What an option or goal expects of a bound, said to a user who wrote another text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "search/trial/constraints.h"
#include "src/accuracy/loss_metric.h"
#include "src/base/numbers.h"

namespace halftone {

// For a text that ParseBound() refuses: "a fraction from 0 to 1 (0.005 is half a percent); 1% is
// 0.01".
inline std::string ExpectedOf(const BoundRow& row, std::string_view text) {
  const bool has_unit = row.name == "min_sqnr_db" || row.metric == kCommandMetric;
  return fmt::format(
      "{}{}{}", row.expected,
      row.share != nullptr ? ", or that of a share of the samples, as in 40@95%" : "",
      text.find('@') == std::string_view::npos
          ? PercentHint(text, RealRange{.least = row.least, .most = row.most, .share = !has_unit})
          : "");
}

}  // namespace halftone
