// What moved between two measurements of one configuration.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/api/retune.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

// Below 1 % two latencies are a tie (docs/measuring.md), however narrow the intervals are.
constexpr double kTie = 0.01;

// What another order of sums may change of an error that rounding to 8 or 11 bits made: kernels of
// one precision differ by it, and it is no news. 0.5 dB is 6 % of the error's size.
constexpr double kSameDecibels = 0.5;

// Half the width of the 95 % interval of a mean, by the normal approximation; 0 for one value.
double HalfWidthOfMean(const std::vector<double>& values) {
  if (values.size() < 2) {
    return 0;
  }
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) {
    mean += value / count;
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return 1.96 * std::sqrt(squares / (count - 1) / count);
}

struct Judged {
  std::string_view metric;
  std::string_view what;
  bool of_decibels;
};

// All of them better when larger. The others (rel_l2, cosine, max_abs) say the same as sqnr_db.
constexpr Judged kJudged[] = {{"sqnr_db", "SQNR", true},
                              {"top1_agreement", "top-1 agreement with float32", false},
                              {"top1", "top-1", false}};

// How far a mean may be from that of before: on other data, the interval that the new samples give;
// on the same data less, as both are means of the same samples.
double Allowance(const Judged& judged, const MetricValue& after, std::int64_t samples,
                 bool same_data) {
  const double sampling = same_data ? 0 : HalfWidthOfMean(after.values);
  const double one_sample = samples > 0 ? 1.0 / static_cast<double>(samples) : 1;
  return std::max(sampling, judged.of_decibels ? kSameDecibels : one_sample);
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
    point.worse = point.worse || slower;
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
    const double moved = new_value->mean - old_value->mean;
    // A difference of exactly one sample is within it, also after the rounding of both means.
    if (std::abs(moved) <= Allowance(judged, *new_value, samples, same_data) * (1 + 1e-9)) {
      continue;
    }
    const auto text = [&](double value) {
      return judged.of_decibels ? FormatSqnr(value) : fmt::format("{:.4f}", value);
    };
    point.moved.push_back(fmt::format("{}: {} -> {}, {}", judged.what, text(old_value->mean),
                                      text(new_value->mean), moved < 0 ? "worse" : "better"));
    point.worse = point.worse || moved < 0;
  }
}

}  // namespace

RetunedPoint CompareMeasurements(const Trial& before, const Trial& after, std::int64_t samples,
                                 bool same_data) {
  RetunedPoint point{.before = before, .after = after};
  if (const Rejection* rejection = after.rejection()) {
    point.moved.push_back("it cannot run any more: " + rejection->reason);
    point.worse = true;
    return point;
  }
  CompareLatency(before.measurement()->latency, after.measurement()->latency, point);
  CompareAccuracy(before.measurement()->accuracy, after.measurement()->accuracy, samples, same_data,
                  point);
  return point;
}

}  // namespace halftone
