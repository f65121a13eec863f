// Opening of samples from files or memory, with the states of a recurrent network.
#pragma once

#include <cstddef>

#include "src/accuracy/dataset.h"
#include "src/accuracy/open_samples.h"
#include "src/ir/graph.h"

namespace halftone {

// Opens samples by OpenSamples() or OpenArrays(). An input that DatasetOptions::state feeds may be
// missing in the samples and is zero then. Errors as those functions and as ParseStateLinks().
OpenedSamples OpenSteps(const Graph& graph, const DatasetOptions& options, std::size_t wanted);

}  // namespace halftone
