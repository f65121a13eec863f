// Search of the layers that AMCT quantises on an Ascend target, beside a search of everything else.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"
#include "search/tuner_run.h"

namespace halftone {

// On a target of AMCT with a quantisation in the space: candidates with 8-bit layers in turn with
// those of `then`. All layers in each mode; then, in the fastest mode that ATC quantises in,
// without each run of neighbouring layers; then without the runs that cost the most accuracy for
// their time, more and more of them; then the front of `then` so far, with the layers that it has
// in float16 in 8 bits. Layers without an integer form here are never among them: what they would
// lose is unknown. Elsewhere `then` itself. `problem` must outlive the strategy.
std::unique_ptr<SearchStrategy> WithAmctLayers(const TuneProblem& problem,
                                               std::unique_ptr<SearchStrategy> then);

}  // namespace halftone
