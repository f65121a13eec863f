// Sequences of a recurrent network: samples that consist of successive steps.
#pragma once

#include <cstdint>

#include "src/accuracy/dataset.h"
#include "src/ir/graph.h"

namespace halftone {

// Cuts `steps`, in order, into samples of `length` steps each; length 0 makes one sample of all
// steps. A note says how many steps at the end are left out because they fill no sequence. The
// states of a sequence begin with the state inputs of its first step. Sample::inputs are the inputs
// of the middle step, with states as float32 computes them, for timing and probing. The labels of a
// sequence are those of its steps, in order. Errors: kUsage for fewer steps than `length`; as
// Compile().
Dataset SequencesOf(const Graph& graph, const Dataset& steps, std::vector<StateLink> links,
                    std::int64_t length);

}  // namespace halftone
