#include "src/accuracy/merged_accuracy.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halftone {
namespace {

// Names of the metrics that any part has, in the order of their first parts.
std::vector<std::string> NamesIn(std::span<const AccuracyPart> parts) {
  std::vector<std::string> names;
  for (const AccuracyPart& part : parts) {
    for (const MetricValue& value : part.accuracy.metrics) {
      if (std::ranges::find(names, value.name) == names.end()) {
        names.push_back(value.name);
      }
    }
  }
  return names;
}

bool InEvery(std::span<const AccuracyPart> parts, const std::string& name) {
  return std::ranges::all_of(
      parts, [&](const AccuracyPart& part) { return part.accuracy.Find(name) != nullptr; });
}

MetricValue MergedValue(std::span<const AccuracyPart> parts, const std::string& name,
                        Better better) {
  const MetricRow* row = RowOfValue(name);
  const auto scaled = [&](double value) {
    return row != nullptr && row->to_mean_scale != nullptr ? row->to_mean_scale(value) : value;
  };
  better = row != nullptr ? row->better : better;
  MetricValue merged{.name = name, .worst_sample = -1};
  double sum = 0;
  double weights = 0;
  std::int64_t first_sample = 0;
  bool has_values = true;
  bool has_worst = false;
  for (const AccuracyPart& part : parts) {
    if (const MetricValue* value = part.accuracy.Find(name)) {
      const double weight =
          static_cast<double>(value->values.empty() ? part.samples : value->values.size());
      sum += weight * scaled(value->mean);
      weights += weight;
      has_values = has_values && !value->values.empty();
      merged.values.insert(merged.values.end(), value->values.begin(), value->values.end());
      if (!has_worst ||
          (better == Better::kHigher ? value->worst < merged.worst : value->worst > merged.worst)) {
        has_worst = true;
        merged.worst = value->worst;
        merged.worst_sample = value->worst_sample < 0 ? -1 : first_sample + value->worst_sample;
      }
    }
    first_sample += static_cast<std::int64_t>(part.samples);
  }
  const double mean = sum / weights;
  merged.mean =
      row != nullptr && row->from_mean_scale != nullptr ? row->from_mean_scale(mean) : mean;
  if (!has_values) {
    merged.values.clear();
  }
  return merged;
}

}  // namespace

Accuracy MergedAccuracy(std::span<const AccuracyPart> parts, Better better) {
  Accuracy merged;
  for (const std::string& name : NamesIn(parts)) {
    if (!IsOwnMetric(name) || InEvery(parts, name)) {
      merged.metrics.push_back(MergedValue(parts, name, better));
    }
  }
  for (const AccuracyPart& part : parts) {
    if (part.accuracy.flips) {
      merged.flips = merged.flips.value_or(Top1Flips{});
      merged.flips->Add(*part.accuracy.flips);
    }
    const std::vector<OutputCounts>& outputs = part.accuracy.outputs;
    if (merged.outputs.empty()) {
      merged.outputs = outputs;
      continue;
    }
    for (std::size_t i = 0; i < std::min(outputs.size(), merged.outputs.size()); ++i) {
      merged.outputs[i].Add(outputs[i]);
    }
  }
  return merged;
}

}  // namespace halftone
