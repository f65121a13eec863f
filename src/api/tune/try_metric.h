// Trial of the user's own metric on float32, before anything else runs.
#pragma once

#include "knowledge_base/store.h"
#include "src/accuracy/dataset.h"
#include "src/accuracy/loss_metric.h"
#include "src/api/halftone.h"

namespace halftone {

// Runs float32 on the first sample and judges its outputs by a program's or function's metric. A
// metric may need more than one sample: where it fails, all samples are run and judged before the
// failure counts. Does nothing for a built-in metric, and where `store` (null: none) has a
// measurement of the network by this one. Errors as UserMetric::Run() (src/accuracy/user_metric.h),
// and what a function throws.
void TryMetric(const Model& model, const Dataset& samples, const LossMetric& metric, int threads,
               TrialStore* store);

}  // namespace halftone
