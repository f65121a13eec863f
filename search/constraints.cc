#include "search/constraints.h"

#include <fmt/format.h>

namespace halftone {
namespace {

// Shares of samples are compared with this slack: 0.90 - 0.88 is a little more than 0.02 in binary.
constexpr double kRoundingSlack = 1e-12;

std::optional<std::string> SqnrViolation(double at_least, const Accuracy& accuracy) {
  const double sqnr = accuracy.Mean("sqnr_db");
  if (sqnr >= at_least) {
    return std::nullopt;
  }
  return fmt::format("SQNR is {:.2f} dB, at least {:.2f} dB is asked for", sqnr, at_least);
}

std::optional<std::string> Top1Violation(double at_most, const Accuracy& accuracy,
                                         std::optional<double> reference_top1) {
  if (const MetricValue* top1 = accuracy.Find("top1"); top1 != nullptr && reference_top1) {
    if (*reference_top1 - top1->mean <= at_most + kRoundingSlack) {
      return std::nullopt;
    }
    return fmt::format("top-1 drops from {:.2f} % to {:.2f} %, by at most {:.2f} % is asked for",
                       100 * *reference_top1, 100 * top1->mean, 100 * at_most);
  }
  const MetricValue* agreement = accuracy.Find("top1_agreement");
  if (agreement == nullptr) {
    return "a bound on the top-1 drop needs an output with classes, and this network has none";
  }
  if (1 - agreement->mean <= at_most + kRoundingSlack) {
    return std::nullopt;
  }
  return fmt::format(
      "top-1 agrees with float32 in {:.2f} % of the cases, at least {:.2f} % is asked for",
      100 * agreement->mean, 100 * (1 - at_most));
}

}  // namespace

std::optional<std::string> Violation(const Constraints& constraints, const Measurement& measurement,
                                     std::optional<double> reference_top1) {
  if (constraints.min_sqnr_db) {
    if (auto violation = SqnrViolation(*constraints.min_sqnr_db, measurement.accuracy)) {
      return violation;
    }
  }
  if (constraints.max_top1_drop) {
    if (auto violation =
            Top1Violation(*constraints.max_top1_drop, measurement.accuracy, reference_top1)) {
      return violation;
    }
  }
  if (constraints.max_latency_ratio && measurement.latency.ratio > *constraints.max_latency_ratio) {
    return fmt::format("latency is {:.3f} of float32, at most {:.3f} is asked for",
                       measurement.latency.ratio, *constraints.max_latency_ratio);
  }
  return std::nullopt;
}

}  // namespace halftone
