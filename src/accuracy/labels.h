// Readers of labels.
#pragma once

#include <cstddef>
#include <string>

#include "halftone/data.h"
#include "src/ir/graph.h"

namespace halftone {

// Reads the integers of a .npy or .pb file, as many for each of `sample_count` (> 0) samples. The
// first axis counts samples, or rows when the network's batch is larger than one. `argument`: the
// file, or "OUTPUT:FILE" for the classes of that output. Error kIo as ReadTensorFile(); kModel: not
// integers, another number of samples, no output with as many rows of classes (unless the graph has
// no outputs), a class that does not exist.
Labels ReadLabels(const Graph& graph, const std::string& argument, std::size_t sample_count);

// Labels of samples in memory, which must have labels. Error kModel as ReadLabels(); kUsage: the
// network has no output of that name.
Labels LabelsIn(const Graph& graph, const SampleArrays& arrays, std::size_t sample_count);

}  // namespace halftone
