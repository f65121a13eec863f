#include "search/trial/front_quality.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace halftone {

double FrontQuality(std::span<const Objectives> points) {
  std::vector<Objectives> scaled;
  for (const Objectives& point : points) {
    const double decibels =
        point.loss > 0 ? std::min(kMostDecibels, -20 * std::log10(point.loss)) : kMostDecibels;
    if (decibels > 0 && point.latency_ratio < 1) {
      scaled.push_back({point.latency_ratio, 1 - decibels / kMostDecibels});
    }
  }
  return Hypervolume(scaled, {1, 1});
}

}  // namespace halftone
