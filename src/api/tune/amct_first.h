// Search of the layers that AMCT quantises on an Ascend target, in turns with another search.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"
#include "search/tuner_run.h"

namespace halftone {

// Returns `then` unless the target is one of AMCT and the space has a quantisation. Otherwise
// returns a strategy that proposes candidates with 8-bit layers in turns with the candidates of
// `then`. It groups the layers into runs of consecutive ones and proposes, in this order:
//
//   1. all layers in 8 bits, in each mode of the space;
//   2. for each run, all layers but that run, in the fastest of these modes;
//   3. all layers but the 2, 3, 4, 6, ... runs whose omission gains the most accuracy for its time;
//   4. members of the front of `then` so far, with their float16 layers in 8 bits.
//
// Layers that the host cannot compute on integers stay out of 8 bits, because their loss is
// unknown. `problem` must outlive the strategy.
std::unique_ptr<SearchStrategy> WithAmctLayers(const TuneProblem& problem,
                                               std::unique_ptr<SearchStrategy> then);

}  // namespace halftone
