// Time limits of a search.
#pragma once

#include <cstdint>

#include "search/measure/shapes_measurer.h"
#include "search/tuner.h"
#include "src/api/tune_options.h"

namespace halftone {

// Estimated time to measure a plan.
double SecondsOfPlan(const TuneOptions& options, const ShapesMeasurer& measurer,
                     std::int64_t samples);

// The tighter of the limits on the search and on the whole; of the latter, time is left for
// confirming the front and for what follows.
TunerOptions LimitsOf(const TuneOptions& options, const ShapesMeasurer& measurer,
                      std::int64_t heldout_count);

}  // namespace halftone
