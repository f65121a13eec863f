// Search of the layers that AMCT quantises on an Ascend target, beside a search of everything else.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"
#include "search/tuner_run.h"

namespace halftone {

// For a target of AMCT with a quantisation in the space: candidates with 8-bit layers, in turn with
// those of `then`. First come all layers, in each mode. Then, in the fastest mode in which ATC
// quantises, all layers but one run of neighbours, for each such run; then all but the runs that
// cost the most accuracy for their time, more and more of them; then the front of `then` so far,
// with its float16 layers in 8 bits. Layers without an integer form here are left out, because
// their loss is unknown. For other targets: `then` itself. `problem` must outlive the strategy.
std::unique_ptr<SearchStrategy> WithAmctLayers(const TuneProblem& problem,
                                               std::unique_ptr<SearchStrategy> then);

}  // namespace halftone
