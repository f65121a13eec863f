#include "src/cli/latency_budget.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr const char* kVariable = "HALFTONE_LATENCY_BUDGET";
constexpr double kMostSeconds = 1000;

}  // namespace

double TakeLatencyBudget(MeasureSettings& measure) {
  const char* variable = std::getenv(kVariable);
  const std::string_view text = variable != nullptr ? variable : "";
  if (text.empty()) {
    return 1;
  }
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  // Written so that NaN is refused.
  if (error != std::errc() || end != text.data() + text.size() ||
      !(seconds > 0 && seconds <= kMostSeconds)) {
    throw Error(ErrorKind::kUsage, fmt::format("{}={}: expected seconds above 0, at most {}, such "
                                               "as 0.5",
                                               kVariable, text, kMostSeconds));
  }
  const double factor = seconds / measure.full_budget_s;
  measure.full_budget_s = seconds;
  measure.quick_budget_s *= factor;
  return factor;
}

}  // namespace halftone
