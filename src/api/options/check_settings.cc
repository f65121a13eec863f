#include "src/api/options/check_settings.h"

#include <fmt/format.h>

#include <thread>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr double kMostBudgetSeconds = 86400;

}  // namespace

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
  if (!(seconds >= 0 && seconds <= kMostBudgetSeconds)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--operator_budget={}: expected 0 to {} seconds, a day at most",
                            seconds, kMostBudgetSeconds));
  }
}

}  // namespace halftone
