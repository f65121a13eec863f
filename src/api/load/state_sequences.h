// Sequences of a recurrent network, made of the samples that are its steps.
#pragma once

#include <cstdint>

#include "src/accuracy/dataset.h"
#include "src/ir/graph.h"

namespace halftone {

// Samples that are sequences of `length` steps each (0: one of all), from those of the steps in
// order; states begin with those of the first step. Steps that fill no sequence are left out with a
// note. Sample::inputs are those of the middle step, as float32 has them: what is timed and probed.
// Labels of the steps are those of the sequence, one step after the other.
// Error kUsage: fewer steps than `length`; what Compile() throws.
Dataset SequencesOf(const Graph& graph, const Dataset& steps, std::vector<StateLink> links,
                    std::int64_t length);

}  // namespace halftone
