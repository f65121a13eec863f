#include "src/cli/latency_budget.h"

#include <cstdlib>
#include <string_view>

#include "src/base/limits.h"

namespace halftone {
namespace {

constexpr const char* kVariable = "HALFTONE_LATENCY_BUDGET";

}  // namespace

double TakeLatencyBudget(MeasureSettings& measure) {
  const char* variable = std::getenv(kVariable);
  const std::string_view text = variable != nullptr ? variable : "";
  if (text.empty()) {
    return 1;
  }
  const double seconds = ParseNumber(kVariable, text, limits::kLatencyBudgetRange);
  const double factor = seconds / measure.full_budget_s;
  measure.full_budget_s = seconds;
  measure.quick_budget_s *= factor;
  return factor;
}

}  // namespace halftone
