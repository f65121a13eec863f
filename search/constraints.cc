#include "search/constraints.h"

#include <fmt/format.h>

#include <limits>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using Missed = std::optional<std::string>;

Missed SqnrViolation(double at_least, const Measurement& measurement,
                     std::optional<double> /*reference_top1*/) {
  const double sqnr = measurement.accuracy.Mean("sqnr_db");
  if (sqnr >= at_least) {
    return std::nullopt;
  }
  return fmt::format("SQNR is {:.2f} dB, at least {:.2f} dB is asked for", sqnr, at_least);
}

Missed RelL2Violation(double at_most, const Measurement& measurement,
                      std::optional<double> /*reference_top1*/) {
  const double rel_l2 = measurement.accuracy.Mean("rel_l2");
  if (rel_l2 <= at_most) {
    return std::nullopt;
  }
  return fmt::format("the relative L2 error is {:.3g}, at most {:.3g} is asked for", rel_l2,
                     at_most);
}

Missed Top1Violation(double at_most, const Measurement& measurement,
                     std::optional<double> reference_top1) {
  const Accuracy& accuracy = measurement.accuracy;
  if (const MetricValue* top1 = accuracy.Find("top1"); top1 != nullptr && reference_top1) {
    if (*reference_top1 - top1->mean <= at_most + kShareSlack) {
      return std::nullopt;
    }
    return fmt::format("top-1 drops from {:.2f} % to {:.2f} %, by at most {:.2f} % is asked for",
                       100 * *reference_top1, 100 * top1->mean, 100 * at_most);
  }
  const MetricValue* agreement = accuracy.Find("top1_agreement");
  if (agreement == nullptr) {
    return "a bound on the top-1 drop needs an output with classes, and this network has none";
  }
  if (1 - agreement->mean <= at_most + kShareSlack) {
    return std::nullopt;
  }
  return fmt::format(
      "top-1 agrees with float32 in {:.2f} % of the cases, at least {:.2f} % is asked for",
      100 * agreement->mean, 100 * (1 - at_most));
}

Missed LatencyViolation(double at_most, const Measurement& measurement,
                        std::optional<double> /*reference_top1*/) {
  if (measurement.latency.ratio <= at_most) {
    return std::nullopt;
  }
  return fmt::format("latency is {:.3f} of float32, at most {:.3f} is asked for",
                     measurement.latency.ratio, at_most);
}

constexpr double kHuge = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::min();
constexpr BoundRow kBounds[] = {
    {"min_sqnr_db", "signal-to-quantisation-noise ratio of at least this, dB, mean over samples",
     "an SQNR of at least {} dB", &Constraints::min_sqnr_db, -kHuge, kHuge,
     "a finite number of decibels", true, SqnrViolation},
    {"max_rel_l2", "relative L2 error of at most this, mean over samples (0.01 is 40 dB)",
     "a relative L2 error of at most {}", &Constraints::max_rel_l2, 0, kHuge,
     "a number from 0 up (0.01 is 40 dB)", true, RelL2Violation},
    {"max_top1_drop", "top-1 drops by at most this fraction (0.005: half a percent)",
     "a top-1 drop of at most {}", &Constraints::max_top1_drop, 0, 1,
     "a fraction from 0 to 1 (0.005 is half a percent)", true, Top1Violation},
    {"max_latency_ratio", "latency of at most this times that of fp32",
     "a latency ratio of at most {}", &Constraints::max_latency_ratio, kTiny, kHuge,
     "a positive number (0.8: at most 80 % of the time of fp32)", false, LatencyViolation},
};

}  // namespace

std::span<const BoundRow> AllBounds() {
  return kBounds;
}

std::string DemandOf(const Constraints& constraints) {
  std::vector<std::string> parts;
  for (const BoundRow& row : kBounds) {
    if (const auto& bound = constraints.*row.value) {
      parts.push_back(fmt::format(fmt::runtime(row.demand), *bound));
    }
  }
  return Join(parts, ", ");
}

std::optional<std::string> Violation(const Constraints& constraints, const Measurement& measurement,
                                     std::optional<double> reference_top1) {
  for (const BoundRow& row : kBounds) {
    if (const auto& bound = constraints.*row.value) {
      if (auto violation = row.violation(*bound, measurement, reference_top1)) {
        return violation;
      }
    }
  }
  return std::nullopt;
}

void CheckConstraints(const Constraints& constraints, std::string_view prefix) {
  for (const BoundRow& row : kBounds) {
    const auto& value = constraints.*row.value;
    if (value && !(*value >= row.least && *value <= row.most)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}{}={}: expected {}", prefix, row.name, *value, row.expected));
    }
  }
}

}  // namespace halftone
