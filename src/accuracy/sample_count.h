// How many samples the tensor of a file holds.
#pragma once

#include <cstdint>

#include "src/accuracy/input_file.h"
#include "src/ir/graph.h"

namespace halftone {

// Samples of the type of `input` stand behind each other along axis 0; a scalar is one. Error
// kModel, which says what to do, when the tensor has another rank or other extents.
std::int64_t SampleCount(const Value& input, const InputFile& file);

}  // namespace halftone
