// Sequences of a recurrent network, made of the samples that are its steps.
#pragma once

#include <cstdint>

#include "src/accuracy/dataset.h"
#include "src/ir/graph.h"

namespace halftone {

// Makes samples that are sequences of `length` steps each (0: one sequence of all steps) from the
// steps in order; states begin with those of the first step. Steps that fill no sequence are left
// out with a note. Sample::inputs are those of the middle step, as float32 computes them, for
// timing and probing. The labels of a sequence are those of its steps in order.
// Error kUsage: fewer steps than `length`; what Compile() throws.
Dataset SequencesOf(const Graph& graph, const Dataset& steps, std::vector<StateLink> links,
                    std::int64_t length);

}  // namespace halftone
