// Samples of a data set, from files or memory, with the states of a recurrent network.
#pragma once

#include <cstddef>

#include "src/accuracy/dataset.h"
#include "src/accuracy/open_samples.h"
#include "src/ir/graph.h"

namespace halftone {

// OpenSamples() or OpenArrays() for the options; inputs that DatasetOptions::state feeds and that
// are not given are zeros. Errors as there, and as ParseStateLinks().
OpenedSamples OpenSteps(const Graph& graph, const DatasetOptions& options, std::size_t wanted);

}  // namespace halftone
