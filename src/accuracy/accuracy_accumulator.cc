// Means and intervals of metrics over many samples.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "src/accuracy/metrics.h"
#include "src/base/error.h"
#include "src/base/stats.h"

namespace halftone {
namespace {

Interval IntervalOfMean(std::span<const double> values) {
  return values.size() > kMostResampled ? NormalMeanInterval(values)
                                        : BootstrapMeanInterval(values);
}

// An interval on the scale on which the metric is averaged, as one of the metric.
Interval FromMeanScale(const MetricRow& row, const Interval& interval) {
  if (row.from_mean_scale == nullptr) {
    // A normal interval may reach beyond a share, too.
    return row.of_discrete ? Interval{std::max(interval.low, 0.0), std::min(interval.high, 1.0)}
                           : interval;
  }
  // A normal interval may reach below 0, where no noise power is: one broken sample is enough.
  const double least = interval.low > 0 ? interval.low : row.to_mean_scale(kExactSqnrDb);
  const auto [low, high] =
      std::minmax({row.from_mean_scale(least), row.from_mean_scale(interval.high)});
  return {low, high};
}

}  // namespace

std::optional<Interval> MeanInterval(const MetricValue& value) {
  if (value.values.size() < 2) {
    return value.interval;
  }
  const MetricRow* row = RowOfValue(value.name);
  if (row == nullptr || row->to_mean_scale == nullptr) {
    const Interval interval = IntervalOfMean(value.values);
    return row == nullptr ? interval : FromMeanScale(*row, interval);
  }
  std::vector<double> scaled(value.values.size());
  std::transform(value.values.begin(), value.values.end(), scaled.begin(), row->to_mean_scale);
  return FromMeanScale(*row, IntervalOfMean(scaled));
}

AccuracyAccumulator::AccuracyAccumulator(std::size_t max_values, const OutputMetric* own)
    : max_values_(max_values), own_(own) {
  Check(max_values >= kMostResampled, "values of fewer samples than are resampled");
}

void AccuracyAccumulator::Add(const SampleMetrics& sample) {
  const std::span<const MetricRow> rows = AllMetrics();
  running_.resize(sample.values.size());
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const MetricRow& row = i < rows.size() ? rows[i] : *own_->row;
    const std::optional<double> value = sample.values[i];
    if (!value) {
      continue;
    }
    Running& running = running_[i];
    const bool worse =
        row.better == Better::kHigher ? *value < running.worst : *value > running.worst;
    if (running.count == 0 || worse) {
      running.worst = *value;
      running.worst_sample = samples_;
    }
    const double scaled = row.to_mean_scale != nullptr ? row.to_mean_scale(*value) : *value;
    running.sum += scaled;
    // Welford's recurrence: a sum of squares less the square of a sum would lose all digits.
    const double off = scaled - running.running_mean;
    ++running.count;
    running.running_mean += off / static_cast<double>(running.count);
    running.squared_off += off * (scaled - running.running_mean);
    if (static_cast<std::size_t>(samples_) < max_values_) {
      running.values.push_back(*value);
    } else {
      running.values = std::vector<double>();  // frees it
    }
  }
  if (sample.flips) {
    flips_ = flips_.value_or(Top1Flips{});
    flips_->Add(*sample.flips);
  }
  outputs_.resize(sample.outputs.size());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    outputs_[i].Add(sample.outputs[i]);
  }
  ++samples_;
}

Accuracy AccuracyAccumulator::Finish() const {
  Accuracy accuracy;
  accuracy.flips = flips_;
  accuracy.outputs = outputs_;
  const std::span<const MetricRow> rows = AllMetrics();
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const Running& running = running_[i];
    if (running.count == 0) {
      continue;
    }
    const bool is_own = i == rows.size();
    const MetricRow& row = is_own ? *own_->row : rows[i];
    const double mean = running.sum / static_cast<double>(running.count);
    MetricValue& value = accuracy.metrics.emplace_back(
        MetricValue{.name = is_own ? own_->name : std::string(row.name),
                    .mean = row.from_mean_scale != nullptr ? row.from_mean_scale(mean) : mean,
                    .worst = running.worst,
                    .worst_sample = running.worst_sample,
                    .values = {}});
    if (static_cast<std::size_t>(samples_) <= max_values_) {
      value.values = running.values;
    } else if (running.count > 1) {
      value.interval =
          FromMeanScale(row, NormalMeanInterval(running.running_mean, running.squared_off,
                                                static_cast<std::size_t>(running.count)));
    }
  }
  return accuracy;
}

}  // namespace halftone
