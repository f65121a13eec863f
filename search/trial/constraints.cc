#include "search/trial/constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "src/accuracy/discrete_outputs.h"
#include "src/accuracy/loss_metric.h"
#include "src/accuracy/metric_words.h"
#include "src/base/error.h"
#include "src/base/number_pair.h"
#include "src/base/numbers.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using Missed = std::optional<std::string>;

// How a bound on each of a `share` of the samples is missed: "12 of 200 samples are below 40 dB".
Missed ShareViolation(const MetricValue& metric, double share,
                      const std::function<bool(double)>& kept, const std::string& missed) {
  if (metric.values.empty()) {
    return kept(metric.worst) ? std::nullopt
                              : Missed("the values of single samples are not known: tune again");
  }
  const auto n = static_cast<double>(metric.values.size());
  const auto misses = std::ranges::count_if(metric.values, [&](double v) { return !kept(v); });
  if (static_cast<double>(misses) <= (1 - share + kShareSlack) * n) {
    return std::nullopt;
  }
  return fmt::format("{} of {} {} {}, {:g} % of them may be", misses,
                     Counted(std::ssize(metric.values), "sample"), misses == 1 ? "is" : "are",
                     missed, 100 * (1 - share));
}

Missed SqnrViolation(double at_least, std::optional<double> share, const BoundValues& values) {
  const MetricValue* sqnr = values.accuracy.Find("sqnr_db");
  if (sqnr == nullptr) {
    return "a bound on the SQNR needs floating outputs with a signal, and there are none";
  }
  if (share) {
    return ShareViolation(
        *sqnr, *share, [&](double v) { return v >= at_least; },
        fmt::format("below {:.2f} dB", at_least));
  }
  if (sqnr->mean >= at_least) {
    return std::nullopt;
  }
  const std::string_view word = WordOfValue("sqnr_db", sqnr->mean);
  const auto [mean, bound] = FixedPair(sqnr->mean, at_least, 2);
  return fmt::format("SQNR is {}, at least {} dB is asked for",
                     word.empty() ? mean + " dB" : std::string(word), bound);
}

Missed RelL2Violation(double at_most, std::optional<double> share, const BoundValues& values) {
  const MetricValue* rel_l2 = values.accuracy.Find("rel_l2");
  if (rel_l2 == nullptr) {
    return "a bound on the relative error needs floating outputs with a signal, and there are none";
  }
  if (share) {
    return ShareViolation(
        *rel_l2, *share, [&](double v) { return v <= at_most; },
        fmt::format("above a relative L2 error of {:.3g}", at_most));
  }
  if (rel_l2->mean <= at_most) {
    return std::nullopt;
  }
  const auto [mean, bound] = SignificantPair(rel_l2->mean, at_most, 3);
  return fmt::format("the relative L2 error is {}, at most {} is asked for", mean, bound);
}

Missed Top1Violation(double at_most, std::optional<double> /*share*/, const BoundValues& values) {
  const Accuracy& accuracy = values.accuracy;
  const std::optional<double>& reference_top1 = values.reference_top1;
  if (const MetricValue* top1 = accuracy.Find("top1"); top1 != nullptr && reference_top1) {
    if (*reference_top1 - top1->mean <= at_most + kShareSlack) {
      return std::nullopt;
    }
    const double drop = *reference_top1 - top1->mean;
    const auto [found, bound] = FixedPair(100 * drop, 100 * at_most, 2);
    return fmt::format("top-1 drops from {:.2f} % to {:.2f} %, by {} %; at most {} % is asked for",
                       100 * *reference_top1, 100 * top1->mean, found, bound);
  }
  const MetricValue* agreement = accuracy.Find("top1_agreement");
  if (agreement == nullptr) {
    return "a bound on the top-1 drop needs an output with classes, and this network has none";
  }
  if (1 - agreement->mean <= at_most + kShareSlack) {
    return std::nullopt;
  }
  const auto [mean, bound] = FixedPair(100 * agreement->mean, 100 * (1 - at_most), 2);
  return fmt::format("top-1 agrees with float32 in {} % of the cases, at least {} % is asked for",
                     mean, bound);
}

Missed AgreementViolation(double at_least, std::optional<double> /*share*/,
                          const BoundValues& values) {
  const MetricValue* agreement = values.accuracy.Find("agreement");
  if (agreement == nullptr) {
    return "a bound on the agreement needs integer or boolean outputs, and there are none";
  }
  if (agreement->mean >= at_least - kShareSlack) {
    return std::nullopt;
  }
  const auto [mean, bound] = FixedPair(100 * agreement->mean, 100 * at_least, 2);
  return fmt::format("agreement is {} %, at least {} % is asked for", mean, bound);
}

// kLeast: the metric must be as large as the bound, else as small.
template <bool kLeast>
Missed OwnMetricViolation(double bound, std::optional<double> /*share*/,
                          const BoundValues& values) {
  const MetricValue* own = values.accuracy.FindOwn();
  if (own == nullptr) {
    return "a bound on the metric needs --metric=command:PROGRAM or --metric=OUTPUT:METRIC";
  }
  if (kLeast ? own->mean >= bound : own->mean <= bound) {
    return std::nullopt;
  }
  const auto [mean, asked] = SignificantPair(own->mean, bound, 6);
  return fmt::format("the metric is {}, at {} {} is asked for", mean, kLeast ? "least" : "most",
                     asked);
}

Missed LatencyViolation(double at_most, std::optional<double> /*share*/,
                        const BoundValues& values) {
  if (values.latency == nullptr || values.latency->ratio <= at_most) {
    return std::nullopt;
  }
  const auto [ratio, bound] = FixedPair(values.latency->ratio, at_most, 3);
  return fmt::format("latency is {} of float32, at most {} is asked for", ratio, bound);
}

constexpr double kHuge = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::min();
constexpr BoundRow kBounds[] = {
    {"min_sqnr_db",
     "signal-to-quantisation-noise ratio of at least this, dB, mean over samples; "
     "40@95%: each of 95 % of the samples",
     "an SQNR of at least {} dB", &Constraints::min_sqnr_db, -kHuge, kHuge,
     "a finite number of decibels", "sqnr_db", &Constraints::min_sqnr_db_share, SqnrViolation},
    {"max_rel_l2",
     "relative L2 error of at most this, mean over samples (0.01 is 40 dB); "
     "0.01@95% as above",
     "a relative L2 error of at most {}", &Constraints::max_rel_l2, 0, kHuge,
     "a number from 0 up (0.01 is 40 dB)", "rel_l2", &Constraints::max_rel_l2_share,
     RelL2Violation},
    {"max_top1_drop", "top-1 drops by at most this fraction (0.005: half a percent)",
     "a top-1 drop of at most {}", &Constraints::max_top1_drop, 0, 1,
     "a fraction from 0 to 1 (0.005 is half a percent)", "top1_agreement", nullptr, Top1Violation},
    {"min_agreement",
     "share of equal elements of integer and boolean outputs of at least this, mean over samples",
     "an agreement of at least {}", &Constraints::min_agreement, 0, 1,
     "a share from 0 to 1 (0.99 is 99 % of the elements)", "agreement", nullptr,
     AgreementViolation},
    {"min_metric",
     "value of --metric=command:PROGRAM or OUTPUT:METRIC of at least this; mean over samples",
     "a metric of at least {}", &Constraints::min_metric, -kHuge, kHuge, "a finite number",
     kCommandMetric, nullptr, OwnMetricViolation<true>},
    {"max_metric", "the same of at most this", "a metric of at most {}", &Constraints::max_metric,
     -kHuge, kHuge, "a finite number", kCommandMetric, nullptr, OwnMetricViolation<false>},
    {"max_latency_ratio", "latency of at most this times that of fp32",
     "a latency ratio of at most {}", &Constraints::max_latency_ratio, kTiny, kHuge,
     "a positive number (0.8: at most 80 % of the time of fp32)", "", nullptr, LatencyViolation},
};

}  // namespace

std::span<const BoundRow> AllBounds() {
  return kBounds;
}

std::string BoundText(const BoundRow& row, const Constraints& constraints) {
  const std::optional<double> share = row.ShareIn(constraints);
  return fmt::format("{}{}", (constraints.*row.value).value(),
                     share ? fmt::format("@{:.10g}%", 100 * *share) : "");
}

bool ParseBound(std::string_view text, const BoundRow& row, Constraints& constraints) {
  const std::size_t at = text.find('@');
  const std::optional<double> value = FiniteNumber(Trim(text.substr(0, at)));
  std::optional<double> share;
  if (at != std::string_view::npos) {
    const std::string_view percent = Trim(text.substr(at + 1));
    share = percent.ends_with('%') ? FiniteNumber(Trim(percent.substr(0, percent.size() - 1)))
                                   : std::nullopt;
    if (row.share == nullptr || !share) {
      return false;
    }
  }
  if (!value) {
    return false;
  }
  constraints.*row.value = value;
  if (share) {
    constraints.*row.share = *share / 100;
  }
  return true;
}

std::string DemandOf(const BoundRow& row, const Constraints& constraints) {
  const std::optional<double> share = row.ShareIn(constraints);
  return fmt::format(fmt::runtime(row.demand), (constraints.*row.value).value()) +
         (share ? fmt::format(" for {:.10g} % of the samples", 100 * *share) : "");
}

std::string DemandOf(const Constraints& constraints) {
  std::vector<std::string> parts;
  for (const BoundRow& row : kBounds) {
    if (constraints.*row.value) {
      parts.push_back(DemandOf(row, constraints));
    }
  }
  return Join(parts, ", ");
}

std::optional<std::string> Violation(const Constraints& constraints, const BoundValues& values) {
  for (const BoundRow& row : kBounds) {
    if (const auto& bound = constraints.*row.value) {
      if (auto violation = row.violation(*bound, row.ShareIn(constraints), values)) {
        return violation;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> Violation(const Constraints& constraints, const Measurement& measurement,
                                     std::optional<double> reference_top1) {
  return Violation(constraints, {.accuracy = measurement.accuracy,
                                 .latency = &measurement.latency,
                                 .reference_top1 = reference_top1});
}

void CheckOutputsOf(const Constraints& constraints, const Graph& graph) {
  for (const BoundRow& row : kBounds) {
    const auto& bound = constraints.*row.value;
    const MetricRow* metric = bound ? FindMetric(row.metric) : nullptr;
    if (const auto why = metric != nullptr ? WhyNotOfOutputs(*metric, graph) : std::nullopt) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--{}={}: {}; use {}", row.name, BoundText(row, constraints), *why,
                              metric->of_discrete ? "min_sqnr_db, max_rel_l2 or max_top1_drop"
                                                  : "min_agreement"));
    }
  }
}

void CheckMetricOf(const Constraints& constraints, const LossMetric& metric) {
  for (const BoundRow& row : kBounds) {
    if (row.metric != kCommandMetric || !(constraints.*row.value)) {
      continue;
    }
    if (!metric.is_own()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--{}={}: it bounds a metric of yours; give it with "
                              "--metric=command:PROGRAM or --metric=OUTPUT:METRIC, or bound "
                              "another one",
                              row.name, BoundText(row, constraints)));
    }
    const bool of_least = row.value == &Constraints::min_metric;
    if (of_least != (metric.better == Better::kHigher)) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("--{}={}: {} says that {} values are better; bound it with {}", row.name,
                      BoundText(row, constraints),
                      metric.command.empty() && metric.function == nullptr
                          ? "--metric=" + metric.name
                          : fmt::format("--metric_better={}", of_least ? "lower" : "higher"),
                      of_least ? "lower" : "higher", of_least ? "max_metric" : "min_metric"));
    }
  }
}

void CheckConstraints(const Constraints& constraints, std::string_view prefix) {
  for (const BoundRow& row : kBounds) {
    const auto& value = constraints.*row.value;
    if (value && !(*value >= row.least && *value <= row.most)) {
      throw Error(ErrorKind::kUsage, fmt::format("{}{}={}: expected {}", prefix, row.name,
                                                 BoundText(row, constraints), row.expected));
    }
    const std::optional<double> share = row.ShareIn(constraints);
    if (value && share && !(*share > 0 && *share < 1)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}{}={}: expected more than 0 % and less than 100 % of the samples",
                              prefix, row.name, BoundText(row, constraints)));
    }
  }
}

}  // namespace halftone
