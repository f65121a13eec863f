// Changes between two measurements of one configuration.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "src/accuracy/discrete_outputs.h"
#include "src/accuracy/paired_change.h"
#include "src/api/retune/retune.h"
#include "src/base/text.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

// Below 1 % two latencies are a tie (docs/internals/latency.md), however narrow the intervals
// are.
constexpr double kTie = 0.01;

// Largest slowdown that may stay undetected: a change that may be none and may be a larger one is
// not known. Ten times the 2.5 % from which on docs/internals/latency.md tells any two plans apart.
constexpr double kUndetected = 0.25;

// Fewest samples to judge by a bootstrap interval: with fewer it is too narrow
// (src/base/confidence.h needs as many), and samples that are all alike have none. Without an
// interval a change of up to kSameDecibels, 6 % of the error's size, is no news: another order of
// sums may change by that much an error that rounding to 8 or 11 bits made.
constexpr std::size_t kFewestForInterval = 8;
constexpr double kSameDecibels = 0.5;
// Smallest change that counts where there are enough pairs for an interval: over so many, what
// another order of sums does averages out. Less than 0.1 dB, 1 % of the error's size, is a tie, as
// a small change of latency is, however certain it may be.
constexpr double kTieInDecibels = 0.1;

// Relative change of a user's metric that is no news: what another order of sums makes of its
// number only the user knows.
constexpr double kSameNumber = 0.01;

// Relative slack of a mean that was written and read, or summed in another order.
constexpr double kRoundingSlack = 1e-9;

// Change of a share of elements that is no news where samples have many elements: another order of
// sums decides some that are nearly equal anew. Where samples have one element, which agrees or
// does not, a change of one sample is no news.
constexpr double kSameShare = 0.01;

enum class Unit { kDecibels, kShareOfSamples, kShareOfElements, kOwn };

struct Judged {
  std::string_view metric;
  std::string_view what;
  Unit unit = Unit::kOwn;
  Better better = Better::kHigher;
  bool always = true;  // false: as the metric of --metric
};

// rel_l2, cosine and max_abs say the same as sqnr_db.
constexpr Judged kJudged[] = {
    {.metric = "sqnr_db", .what = "SQNR", .unit = Unit::kDecibels},
    {.metric = "top1_agreement",
     .what = "top-1 agreement with float32",
     .unit = Unit::kShareOfSamples},
    {.metric = "top1", .what = "top-1", .unit = Unit::kShareOfSamples},
    {.metric = "top5_agreement",
     .what = "top-5 agreement with float32",
     .unit = Unit::kShareOfSamples,
     .always = false},
    {.metric = "agreement", .what = "agreement with float32", .unit = Unit::kShareOfElements},
    {.metric = "top5", .what = "top-5", .unit = Unit::kShareOfSamples, .always = false}};

std::vector<Judged> JudgedBy(const LossMetric& metric) {
  std::vector<Judged> judged;
  for (const Judged& row : kJudged) {
    if (row.always || row.metric == metric.name) {
      judged.push_back(row);
    }
  }
  if (metric.is_own()) {
    judged.push_back({.metric = metric.name, .what = metric.name, .better = metric.better});
  }
  return judged;
}

// The 95 % interval of a new mean where there is one to judge by.
std::optional<Interval> IntervalOf(const MetricValue& after) {
  const std::optional<Interval> interval =
      after.values.size() >= kFewestForInterval ? MeanInterval(after) : std::nullopt;
  return interval && interval->high - interval->low > kRoundingSlack * std::abs(after.mean)
             ? interval
             : std::nullopt;
}

// True for a sample that agrees in some of its elements, not all.
bool HasPartialSamples(const MetricValue& value) {
  const auto partial = [](double share) { return share > 0 && share < 1; };
  return partial(value.worst) || std::ranges::any_of(value.values, partial);
}

// Range in which the mean of before must lie for the new one to count as unmoved, where pairs do
// not decide. Decibels: the interval of the new mean, or kSameDecibels around it. Shares of
// samples, each of which is right or wrong: one sample around it. On other data also its interval.
Interval RangeOf(const Judged& judged, const MetricValue& before, const MetricValue& after,
                 const ComparedBy& by) {
  const std::optional<Interval> interval = IntervalOf(after);
  if (judged.unit == Unit::kDecibels && interval) {
    return *interval;
  }
  const double of_samples = by.samples > 0 ? 1.0 / static_cast<double>(by.samples) : 1;
  const double least = judged.unit == Unit::kDecibels ? kSameDecibels
                       : judged.unit == Unit::kOwn    ? kSameNumber * std::abs(after.mean)
                       : judged.unit == Unit::kShareOfElements &&
                               (HasPartialSamples(before) || HasPartialSamples(after))
                           ? std::min(of_samples, kSameShare)
                           : of_samples;
  Interval range{after.mean - least, after.mean + least};
  if (!by.same_data && interval) {
    range = {std::min(range.low, interval->low), std::max(range.high, interval->high)};
  }
  return range;
}

// Change of a mean in decibels over the same samples, where there are enough of them; empty: the
// pairs do not decide.
std::optional<PairedChange> JudgedInPairs(const Judged& judged, const MetricValue& before,
                                          const MetricValue& after, const ComparedBy& by) {
  return by.same_data && judged.unit == Unit::kDecibels && after.values.size() >= kFewestForInterval
             ? ChangeOfMean(before, after)
             : std::nullopt;
}

bool Moved(const PairedChange& pairs) {
  const bool certain = pairs.interval.low > 0 || pairs.interval.high < 0;
  return certain && std::abs(pairs.change) >= kTieInDecibels;
}

// Evidence of a change beside the two means: " [43.2, 44.7]". `judged_pairs` are those of
// JudgedInPairs().
std::string Evidence(const Judged& judged, const MetricValue& before, const MetricValue& after,
                     const ComparedBy& by, const std::optional<PairedChange>& judged_pairs) {
  if (const auto& pairs = judged_pairs) {
    return fmt::format(" ({:+.1f} dB [{:+.1f}, {:+.1f}] on the same {} samples)", pairs->change,
                       pairs->interval.low, pairs->interval.high, pairs->samples);
  }
  if (judged.unit == Unit::kDecibels) {
    const auto interval = IntervalOf(after);
    return interval ? fmt::format(" [{:.1f}, {:.1f}]", interval->low, interval->high) : "";
  }
  const auto pairs = by.same_data ? ChangeOfMean(before, after) : std::nullopt;
  return pairs ? fmt::format(" ({} lower, {} higher of the same {} samples)", pairs->lower,
                             pairs->higher, pairs->samples)
               : "";
}

bool IsWithin(double value, const Interval& range) {
  const double slack = kRoundingSlack * std::max(std::abs(range.low), std::abs(range.high));
  return value >= range.low - slack && value <= range.high + slack;
}

// "0.620 [0.615, 0.625] -> 0.700 [0.695, 0.705] of float32".
std::string ChangeOfRatio(const Latency& before, const Latency& after, const std::string& anchor) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}] -> {:.3f} [{:.3f}, {:.3f}] of {}", before.ratio,
                     before.ratio_interval.low, before.ratio_interval.high, after.ratio,
                     after.ratio_interval.low, after.ratio_interval.high, AnchorInWords(anchor));
}

// Whether the change may be none and may be a slowdown beyond kUndetected.
bool AnswersNothing(const Interval& before, const Interval& after) {
  return after.low <= before.high && after.high > before.low * (1 + kUndetected);
}

void CompareLatency(const Latency& before, const Latency& after, const std::string& anchor,
                    RetunedPoint& point) {
  if (before.median_s > 0 && after.median_s > 0) {
    point.slowdown = after.median_s / before.median_s;
  }
  const bool slower = after.ratio_interval.low > before.ratio_interval.high &&
                      after.ratio > before.ratio * (1 + kTie);
  const bool faster = after.ratio_interval.high < before.ratio_interval.low &&
                      after.ratio < before.ratio * (1 - kTie);
  if (slower || faster) {
    point.moved.push_back(fmt::format("latency: {}, {}", ChangeOfRatio(before, after, anchor),
                                      slower ? "slower" : "faster"));
    point.slower = slower;
  } else if (AnswersNothing(before.ratio_interval, after.ratio_interval)) {
    point.undecided = fmt::format("latency: {}, too wide to tell whether it is slower",
                                  ChangeOfRatio(before, after, anchor));
  }
}

void CompareAccuracy(const Accuracy& before, const Accuracy& after, const ComparedBy& by,
                     RetunedPoint& point) {
  for (const Judged& judged : JudgedBy(by.metric)) {
    const MetricValue* old_value = before.Find(judged.metric);
    const MetricValue* new_value = after.Find(judged.metric);
    if (old_value == nullptr || new_value == nullptr) {
      continue;
    }
    const auto pairs = JudgedInPairs(judged, *old_value, *new_value, by);
    if (pairs ? !Moved(*pairs)
              : IsWithin(old_value->mean, RangeOf(judged, *old_value, *new_value, by))) {
      continue;
    }
    const bool smaller = new_value->mean < old_value->mean;
    const bool less = smaller == (judged.better == Better::kHigher);
    const bool of_decibels = judged.unit == Unit::kDecibels;
    const auto text = [&](double value) {
      return of_decibels                             ? FormatSqnr(value)
             : judged.unit == Unit::kOwn             ? fmt::format("{:.6g}", value)
             : judged.unit == Unit::kShareOfElements ? FormatShare(value)
                                                     : fmt::format("{:.4f}", value);
    };
    point.moved.push_back(fmt::format(
        "{}: {} -> {}{}, {}", Printable(judged.what), text(old_value->mean), text(new_value->mean),
        Evidence(judged, *old_value, *new_value, by, pairs), less ? "worse" : "better"));
    point.less_accurate = point.less_accurate || less;
  }
}

}  // namespace

RetunedPoint CompareMeasurements(const Trial& before, const Trial& after, const ComparedBy& by) {
  RetunedPoint point{.before = before, .after = after};
  if (const Rejection* rejection = after.rejection()) {
    point.moved.push_back("it cannot run any more: " + rejection->reason);
    point.rejected = true;
    return point;
  }
  CompareLatency(before.measurement()->latency, after.measurement()->latency, by.anchor, point);
  CompareAccuracy(before.measurement()->accuracy, after.measurement()->accuracy, by, point);
  return point;
}

}  // namespace halftone
