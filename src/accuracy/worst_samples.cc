#include "src/accuracy/worst_samples.h"

namespace halftone {

void NameWorstSamples(const Dataset& dataset, Accuracy& accuracy) {
  for (MetricValue& value : accuracy.metrics) {
    if (value.worst_sample >= 0 && value.worst_sample < static_cast<std::int64_t>(dataset.size())) {
      value.worst_sample_name = dataset.NameOf(static_cast<std::size_t>(value.worst_sample));
    }
  }
}

}  // namespace halftone
