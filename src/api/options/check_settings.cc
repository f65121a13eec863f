#include "src/api/options/check_settings.h"

#include <fmt/format.h>

#include <thread>

#include "src/base/error.h"
#include "src/base/limits.h"

namespace halftone {

void CheckMeasureSettings(const MeasureSettings& settings) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  if (settings.threads < 0 || (cores > 0 && settings.threads > cores)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--threads={}: expected 0 (all) to {}, the cores of this machine",
                            settings.threads, cores));
  }
  ChooseMetric(settings.metric);
}

void CheckOperatorBudget(double seconds) {
  RequireNumber("--operator_budget", seconds, limits::kOperatorBudgetRange);
}

}  // namespace halftone
