// Change of the mean of a metric between two measurements on the same samples. Samples differ from
// each other far more than two measurements of one, so pairs show changes that two means with their
// intervals do not.
#pragma once

#include <cstdint>
#include <optional>

#include "src/accuracy/metrics.h"

namespace halftone {

struct PairedChange {
  double change = 0;  // after - before, in units of the metric (decibels for sqnr_db)
  // 95 % interval, percentile bootstrap over pairs (1000 resamples) on the scale on which samples
  // are averaged. Samples that all changed alike give no width.
  Interval interval;
  std::int64_t samples = 0;
  std::int64_t lower = 0;  // samples with a smaller value than before
  std::int64_t higher = 0;
};

// Empty unless both sides have values per sample, and as many. The caller guarantees the same
// samples in the same order.
std::optional<PairedChange> ChangeOfMean(const MetricValue& before, const MetricValue& after);

}  // namespace halftone
