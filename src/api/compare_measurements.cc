// What moved between two measurements of one configuration.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/api/retune.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

// Below 1 % two latencies are a tie (docs/measuring.md), however narrow the intervals are.
constexpr double kTie = 0.01;

// Of fewer samples a bootstrap interval is too narrow to judge by (src/base/confidence.h needs as
// many), and samples that are all alike have none: then what another order of sums may change of an
// error that rounding to 8 or 11 bits made is no news. 0.5 dB is 6 % of the error's size.
constexpr std::size_t kFewestForInterval = 8;
constexpr double kSameDecibels = 0.5;

// Of a mean that was written and read, or summed in another order.
constexpr double kRoundingSlack = 1e-9;

struct Judged {
  std::string_view metric;
  std::string_view what;
  bool of_decibels;
};

// All of them better when larger. The others (rel_l2, cosine, max_abs) say the same as sqnr_db.
constexpr Judged kJudged[] = {{"sqnr_db", "SQNR", true},
                              {"top1_agreement", "top-1 agreement with float32", false},
                              {"top1", "top-1", false}};

// The 95 % interval of a new mean where there is one to judge by.
std::optional<Interval> IntervalOf(const MetricValue& after) {
  const std::optional<Interval> interval =
      after.values.size() >= kFewestForInterval ? MeanInterval(after) : std::nullopt;
  return interval && interval->high - interval->low > kRoundingSlack * std::abs(after.mean)
             ? interval
             : std::nullopt;
}

// Where the mean of before must lie for the new one not to have moved. Decibels: in the interval of
// the new mean. Shares of samples: on the same data within one sample, each of which is right or
// wrong; on other data also in the interval.
Interval RangeOf(const Judged& judged, const MetricValue& after, std::int64_t samples,
                 bool same_data) {
  const std::optional<Interval> interval = IntervalOf(after);
  if (judged.of_decibels && interval) {
    return *interval;
  }
  const double least = judged.of_decibels ? kSameDecibels
                       : samples > 0      ? 1.0 / static_cast<double>(samples)
                                          : 1;
  Interval range{after.mean - least, after.mean + least};
  if (!same_data && interval) {
    range = {std::min(range.low, interval->low), std::max(range.high, interval->high)};
  }
  return range;
}

bool IsWithin(double value, const Interval& range) {
  const double slack = kRoundingSlack * std::max(std::abs(range.low), std::abs(range.high));
  return value >= range.low - slack && value <= range.high + slack;
}

void CompareLatency(const Latency& before, const Latency& after, RetunedPoint& point) {
  const bool slower = after.ratio_interval.low > before.ratio_interval.high &&
                      after.ratio > before.ratio * (1 + kTie);
  const bool faster = after.ratio_interval.high < before.ratio_interval.low &&
                      after.ratio < before.ratio * (1 - kTie);
  if (slower || faster) {
    point.moved.push_back(fmt::format(
        "latency: {:.3f} [{:.3f}, {:.3f}] -> {:.3f} [{:.3f}, {:.3f}] of float32, {}", before.ratio,
        before.ratio_interval.low, before.ratio_interval.high, after.ratio,
        after.ratio_interval.low, after.ratio_interval.high, slower ? "slower" : "faster"));
    point.slower = slower;
  }
}

void CompareAccuracy(const Accuracy& before, const Accuracy& after, std::int64_t samples,
                     bool same_data, RetunedPoint& point) {
  for (const Judged& judged : kJudged) {
    const MetricValue* old_value = before.Find(judged.metric);
    const MetricValue* new_value = after.Find(judged.metric);
    if (old_value == nullptr || new_value == nullptr) {
      continue;
    }
    if (IsWithin(old_value->mean, RangeOf(judged, *new_value, samples, same_data))) {
      continue;
    }
    const bool less = new_value->mean < old_value->mean;
    const auto text = [&](double value) {
      return judged.of_decibels ? FormatSqnr(value) : fmt::format("{:.4f}", value);
    };
    const auto interval = judged.of_decibels ? IntervalOf(*new_value) : std::nullopt;
    point.moved.push_back(
        fmt::format("{}: {} -> {}{}, {}", judged.what, text(old_value->mean), text(new_value->mean),
                    interval ? fmt::format(" [{:.1f}, {:.1f}]", interval->low, interval->high) : "",
                    less ? "worse" : "better"));
    point.less_accurate = point.less_accurate || less;
  }
}

}  // namespace

RetunedPoint CompareMeasurements(const Trial& before, const Trial& after, std::int64_t samples,
                                 bool same_data) {
  RetunedPoint point{.before = before, .after = after};
  if (const Rejection* rejection = after.rejection()) {
    point.moved.push_back("it cannot run any more: " + rejection->reason);
    point.rejected = true;
    return point;
  }
  CompareLatency(before.measurement()->latency, after.measurement()->latency, point);
  CompareAccuracy(before.measurement()->accuracy, after.measurement()->accuracy, samples, same_data,
                  point);
  return point;
}

}  // namespace halftone
