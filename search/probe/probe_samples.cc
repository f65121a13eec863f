#include "search/probe/probe_samples.h"

#include <algorithm>
#include <numeric>

#include "src/accuracy/discrete_outputs.h"
#include "src/base/error.h"

namespace halftone {

void AddLosses(const Accuracy& accuracy, std::vector<double>& losses) {
  const MetricValue* metric = OutputErrorMetric(accuracy);
  const double mean = OutputErrorOf(accuracy);
  if (metric == nullptr || metric->values.empty() || mean <= 0) {
    return;
  }
  const bool agreement = FindMetric(metric->name)->of_discrete;
  losses.resize(metric->values.size(), 0);
  for (std::size_t s = 0; s < losses.size(); ++s) {
    losses[s] += (agreement ? 1 - metric->values[s] : metric->values[s]) / mean;
  }
}

ProbedSamples ChooseProbedSamples(std::size_t count, std::size_t wanted,
                                  std::span<const double> losses) {
  Check(1 <= wanted && wanted <= count, "samples to be probed that are not there");
  const double all = std::accumulate(losses.begin(), losses.end(), 0.0);
  ProbedSamples probed;
  double share = static_cast<double>(wanted) / static_cast<double>(count);
  if (losses.size() == count && all > 0) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return losses[a] > losses[b]; });
    probed.numbers.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wanted));
    std::ranges::sort(probed.numbers);
    double taken = 0;
    for (const std::size_t number : probed.numbers) {
      taken += losses[number];
    }
    share = taken / all;
  } else {
    for (std::size_t i = 0; i < wanted; ++i) {
      probed.numbers.push_back(i * count / wanted);
    }
  }
  probed.weights.assign(wanted, 1 / (share * static_cast<double>(count)));
  return probed;
}

}  // namespace halftone
