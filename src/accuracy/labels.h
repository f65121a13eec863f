// The class indices that samples belong to: reading, and what is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// Class indices per sample, row by row of the label output; negative: no label at this position.
using Labels = std::vector<std::vector<std::int64_t>>;

// The integers of a .npy or .pb file, as many for each of `sample_count` (> 0) samples. The first
// axis counts samples, or rows when the network's batch is larger than one. Error kIo as
// ReadTensorFile(); kModel: not integers, another number of samples, no output with as many rows of
// classes (unless the graph has no outputs), a class that does not exist.
Labels ReadLabels(const Graph& graph, const std::string& path, std::size_t sample_count);

}  // namespace halftone
