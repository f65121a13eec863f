// Names of the worst samples.
#pragma once

#include "src/accuracy/dataset.h"
#include "src/accuracy/metrics.h"

namespace halftone {

// Fills in MetricValue::worst_sample_name from the samples that `accuracy` was computed on.
void NameWorstSamples(const Dataset& dataset, Accuracy& accuracy);

}  // namespace halftone
