#include "search/trial/constraints.h"

#include <fmt/format.h>

#include <limits>

#include "src/accuracy/discrete_outputs.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using Missed = std::optional<std::string>;

Missed SqnrViolation(double at_least, const Measurement& measurement,
                     std::optional<double> /*reference_top1*/) {
  const MetricValue* sqnr = measurement.accuracy.Find("sqnr_db");
  if (sqnr == nullptr) {
    return "a bound on the SQNR needs floating outputs with a signal, and there are none";
  }
  if (sqnr->mean >= at_least) {
    return std::nullopt;
  }
  return fmt::format("SQNR is {:.2f} dB, at least {:.2f} dB is asked for", sqnr->mean, at_least);
}

Missed RelL2Violation(double at_most, const Measurement& measurement,
                      std::optional<double> /*reference_top1*/) {
  const MetricValue* rel_l2 = measurement.accuracy.Find("rel_l2");
  if (rel_l2 == nullptr) {
    return "a bound on the relative error needs floating outputs with a signal, and there are none";
  }
  if (rel_l2->mean <= at_most) {
    return std::nullopt;
  }
  return fmt::format("the relative L2 error is {:.3g}, at most {:.3g} is asked for", rel_l2->mean,
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

Missed AgreementViolation(double at_least, const Measurement& measurement,
                          std::optional<double> /*reference_top1*/) {
  const MetricValue* agreement = measurement.accuracy.Find("agreement");
  if (agreement == nullptr) {
    return "a bound on the agreement needs integer or boolean outputs, and there are none";
  }
  if (agreement->mean >= at_least - kShareSlack) {
    return std::nullopt;
  }
  return fmt::format("agreement is {}, at least {} is asked for", FormatShare(agreement->mean),
                     FormatShare(at_least));
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
     "a finite number of decibels", "sqnr_db", SqnrViolation},
    {"max_rel_l2", "relative L2 error of at most this, mean over samples (0.01 is 40 dB)",
     "a relative L2 error of at most {}", &Constraints::max_rel_l2, 0, kHuge,
     "a number from 0 up (0.01 is 40 dB)", "rel_l2", RelL2Violation},
    {"max_top1_drop", "top-1 drops by at most this fraction (0.005: half a percent)",
     "a top-1 drop of at most {}", &Constraints::max_top1_drop, 0, 1,
     "a fraction from 0 to 1 (0.005 is half a percent)", "top1_agreement", Top1Violation},
    {"min_agreement",
     "share of equal elements of integer and boolean outputs of at least this, mean over samples",
     "an agreement of at least {}", &Constraints::min_agreement, 0, 1,
     "a share from 0 to 1 (0.99 is 99 % of the elements)", "agreement", AgreementViolation},
    {"max_latency_ratio", "latency of at most this times that of fp32",
     "a latency ratio of at most {}", &Constraints::max_latency_ratio, kTiny, kHuge,
     "a positive number (0.8: at most 80 % of the time of fp32)", "", LatencyViolation},
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

void CheckOutputsOf(const Constraints& constraints, const Graph& graph) {
  for (const BoundRow& row : kBounds) {
    const auto& bound = constraints.*row.value;
    const MetricRow* metric = bound ? FindMetric(row.metric) : nullptr;
    if (const auto why = metric != nullptr ? WhyNotOfOutputs(*metric, graph) : std::nullopt) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--{}={}: {}; use {}", row.name, *bound, *why,
                              metric->of_discrete ? "min_sqnr_db, max_rel_l2 or max_top1_drop"
                                                  : "min_agreement"));
    }
  }
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
