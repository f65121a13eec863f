// Samples from raw files: the bytes of each input, without a header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/ir/graph.h"

namespace halftone {

// A raw file holds the elements of its input in C order, little endian, in the type and shape of
// the network, batch included. `samples`: the paths of each sample, as ParseInputList() gives them;
// `list`: the name of the file that names them, for messages. Reads every sample once. Error
// kUsage: no samples, another number of files than inputs, another number of bytes than the input
// has; kIo: a file that cannot be read; kModel: NaN or infinity.
Dataset ReadRawSamples(const Graph& graph, std::vector<std::vector<std::string>> samples,
                       const std::filesystem::path& list);

// Random samples: normal with mean 0 and deviation 1 for floats, {0, 1} for integers and bools.
// They are marked as not representative.
Dataset GaussianSamples(const Graph& graph, std::int64_t count, std::uint64_t seed);

}  // namespace halftone
