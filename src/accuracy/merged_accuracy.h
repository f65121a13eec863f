// Merge of accuracies over several sets of samples to one accuracy over all samples.
#pragma once

#include <cstddef>
#include <span>

#include "src/accuracy/metrics.h"

namespace halftone {

struct AccuracyPart {
  Accuracy accuracy;
  std::size_t samples = 0;
};

// The accuracy over the samples of all parts, one part behind the other. A mean is over the samples
// for which the metric is defined, on the scale on which the metric is averaged
// (MetricRow::to_mean_scale). worst_sample counts the samples of all parts. A metric of a program
// may have no values per sample; its mean is then that of the parts, weighted by their numbers of
// samples. `better` is the direction of a metric without a row in AllMetrics(). The user's own
// metric is left out if a part does not have it. Accuracy::loss stays empty.
Accuracy MergedAccuracy(std::span<const AccuracyPart> parts, Better better);

}  // namespace halftone
