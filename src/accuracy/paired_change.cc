#include "src/accuracy/paired_change.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "src/base/stats.h"

namespace halftone {
namespace {

double MeanOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::optional<PairedChange> ChangeOfMean(const MetricValue& before, const MetricValue& after) {
  if (before.values.empty() || before.values.size() != after.values.size()) {
    return std::nullopt;
  }
  const MetricRow* row = FindMetric(after.name);
  const bool scaled = row != nullptr && row->to_mean_scale != nullptr;
  const auto on_mean_scale = [&](std::vector<double> values) {
    if (scaled) {
      std::transform(values.begin(), values.end(), values.begin(), row->to_mean_scale);
    }
    return values;
  };
  const auto change = [&](double mean_before, double mean_after) {
    return scaled ? row->from_mean_scale(mean_after) - row->from_mean_scale(mean_before)
                  : mean_after - mean_before;
  };
  const std::vector<double> then = on_mean_scale(before.values);
  const std::vector<double> now = on_mean_scale(after.values);
  PairedChange result{.change = change(MeanOf(then), MeanOf(now)),
                      .interval = BootstrapPairedMeansInterval(then, now, change),
                      .samples = std::ssize(after.values)};
  for (std::size_t i = 0; i < after.values.size(); ++i) {
    result.lower += after.values[i] < before.values[i] ? 1 : 0;
    result.higher += after.values[i] > before.values[i] ? 1 : 0;
  }
  return result;
}

}  // namespace halftone
