// Trial of the user's own metric on the outputs of float32, before anything else runs.
#pragma once

#include "knowledge_base/store.h"
#include "src/accuracy/dataset.h"
#include "src/accuracy/loss_metric.h"
#include "src/api/halftone.h"

namespace halftone {

// Runs float32 on the first sample and judges its outputs by the metric of a program or a function.
// A metric may need more than one sample; if it fails, other than with kUsage, all samples are run
// and judged, and that outcome counts. Does nothing for a built-in metric, or if `store` (null:
// none) has a measurement of the network by this metric. Errors as UserMetric::Run()
// (src/accuracy/user_metric.h); passes on what a function throws.
void TryMetric(const Model& model, const Dataset& samples, const LossMetric& metric, int threads,
               TrialStore* store);

}  // namespace halftone
