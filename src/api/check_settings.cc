#include "src/api/check_settings.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <thread>

#include "src/base/error.h"

namespace halftone {
namespace {

struct BoundRow {
  const char* option;
  std::optional<double> Constraints::*value;
  double least;
  double most;
  const char* expected;
};

constexpr double kMostBudgetSeconds = 86400;
constexpr double kHuge = std::numeric_limits<double>::max();
constexpr BoundRow kBounds[] = {
    {"--min_sqnr_db", &Constraints::min_sqnr_db, -kHuge, kHuge, "a finite number of decibels"},
    {"--max_top1_drop", &Constraints::max_top1_drop, 0, 1,
     "a fraction from 0 to 1 (0.005 is half a percent)"},
    {"--max_latency_ratio", &Constraints::max_latency_ratio, std::numeric_limits<double>::min(),
     kHuge, "a positive number (0.8: at most 80 % of the time of fp32)"},
};

}  // namespace

void CheckMeasureSettings(const MeasureSettings& settings) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  if (settings.threads < 0 || (cores > 0 && settings.threads > cores)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--threads={}: expected 0 (all) to {}, the cores of this machine",
                            settings.threads, cores));
  }
}

void CheckOperatorBudget(double seconds) {
  if (!(seconds >= 0 && seconds <= kMostBudgetSeconds)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--operator_budget={}: expected 0 to {} seconds, a day at most",
                            seconds, kMostBudgetSeconds));
  }
}

void CheckConstraints(const Constraints& constraints) {
  for (const BoundRow& row : kBounds) {
    const std::optional<double>& value = constraints.*row.value;
    if (value && !(*value >= row.least && *value <= row.most)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}={}: expected {}", row.option, *value, row.expected));
    }
  }
}

}  // namespace halftone
