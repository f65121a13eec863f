// Number of samples in the tensor of a file.
#pragma once

#include <cstdint>
#include <filesystem>

#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// Samples of the type of `input` are stacked along axis 0, or along a new first axis; a scalar is
// one. Error kModel, which says what to do, when the tensor of the file has another rank or other
// extents.
std::int64_t SampleCount(const Value& input, const std::filesystem::path& path,
                         const TensorType& found);

}  // namespace halftone
