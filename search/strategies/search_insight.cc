#include "search/strategies/search_insight.h"

#include <cmath>

#include "src/base/stats.h"

namespace halftone {

PredictionErrors PredictionErrorsOf(const SearchInsight& insight) {
  std::vector<double> decibels;
  std::vector<double> latencies;
  for (const auto& [candidate, predicted, measured] : insight.predictions) {
    latencies.push_back(std::fabs(predicted.latency_ratio / measured.latency_ratio - 1));
    if (predicted.loss > 0 && measured.loss > 0) {
      decibels.push_back(std::fabs(20 * std::log10(predicted.loss / measured.loss)));
    }
  }
  return {decibels.empty() ? 0 : Median(decibels), latencies.empty() ? 0 : Median(latencies)};
}

}  // namespace halftone
