// Samples from raw files, which hold the bytes of one input each and have no header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/ir/graph.h"

namespace halftone {

// A raw file holds the elements of one input in C order, little endian, in the type and shape of
// the network with its batch. `samples` are the paths of each sample, as ParseInputList() gives
// them. `list` is the file that lists them, for messages. Reads every sample once.
//
// Error kUsage: there are no samples, a sample has another number of files than the network has
// inputs, or a file has another size than its input. Error kIo: a file cannot be read. Error
// kModel: a value is NaN or infinite.
Dataset ReadRawSamples(const Graph& graph, std::vector<std::vector<std::string>> samples,
                       const std::filesystem::path& list);

// Random samples: floating elements are normal with mean 0 and standard deviation 1; integers and
// bools are 0 or 1. Dataset::representative is false.
Dataset GaussianSamples(const Graph& graph, std::int64_t count, std::uint64_t seed);

}  // namespace halftone
