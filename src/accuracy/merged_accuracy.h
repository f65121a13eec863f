// Accuracy over several sets of samples, as if they were one.
#pragma once

#include <cstddef>
#include <span>

#include "src/accuracy/metrics.h"

namespace halftone {

struct AccuracyPart {
  Accuracy accuracy;
  std::size_t samples = 0;
};

// Metrics of all samples, in the order of the parts: means over the samples for which a metric is
// defined, on the scale on which the metric is averaged; the worst sample by its number among all.
// A metric without values for each sample, as that of a program may be, has the mean of the parts
// weighted by their numbers of samples; `better` decides which worst one counts. The user's own
// metric is left out if a part with samples does not have it. Accuracy::loss stays empty.
Accuracy MergedAccuracy(std::span<const AccuracyPart> parts, Better better);

}  // namespace halftone
