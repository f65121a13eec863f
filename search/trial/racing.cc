#include "search/trial/racing.h"

#include <algorithm>
#include <limits>

#include "search/trial/pareto_front.h"

namespace halftone {

double RacingBounds::RatioToBeat(double loss) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Trial& trial : trials_) {
    const Measurement* measurement = trial.measurement();
    if (measurement != nullptr && ObjectivesOf(*measurement).loss <= loss) {
      least = std::min(least, measurement->latency.ratio_interval.high);
    }
  }
  return least;
}

}  // namespace halftone
