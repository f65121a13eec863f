// Change of the mean of a metric between two measurements on the same samples. Values of different
// samples differ far more than two values of one sample. So pairs of values show changes that two
// means with their intervals do not.
#pragma once

#include <cstdint>
#include <optional>

#include "src/accuracy/metrics.h"

namespace halftone {

struct PairedChange {
  double change = 0;  // mean after - mean before, in units of the metric (decibels for sqnr_db)
  // 95 % interval of `change`, by percentile bootstrap over pairs (1000 resamples) on the scale on
  // which samples are averaged. Its width is 0 if all samples changed by the same amount.
  Interval interval;
  std::int64_t samples = 0;
  std::int64_t lower = 0;   // number of samples with a smaller value than before
  std::int64_t higher = 0;  // number of samples with a larger value than before
};

// The change from `before` to `after`. Requires the same samples in the same order. Empty: a side
// has no values per sample, or the two have different numbers of values.
std::optional<PairedChange> ChangeOfMean(const MetricValue& before, const MetricValue& after);

}  // namespace halftone
