#include "src/api/expected_bound.h"

#include <fmt/format.h>

#include "src/accuracy/loss_metric.h"
#include "src/base/numbers.h"

namespace halftone {

std::string ExpectedOf(const BoundRow& row, std::string_view text) {
  const bool has_unit = row.name == "min_sqnr_db" || row.metric == kCommandMetric;
  return fmt::format(
      "{}{}{}", row.expected,
      row.share != nullptr ? ", or that of a share of the samples, as in 40@95%" : "",
      text.find('@') == std::string_view::npos
          ? PercentHint(text, RealRange{.least = row.least, .most = row.most, .share = !has_unit})
          : "");
}

}  // namespace halftone
