// Split of the samples of one network at several input shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/accuracy/split.h"

namespace halftone {

struct ShapesSplit {
  std::vector<DataSplit> parts;  // by shape
  std::size_t left_out = 0;      // samples that hold rows of both sides
};

// Draws about `heldout_share` of the samples of each shape, in [0, 1), from `seed`. Shapes of
// different batches may hold the same rows, cut in other ways. No row is held out at one shape and
// in a search sample of another: shapes with the most rows a sample are drawn first, and the others
// follow. A sample is one row where its inputs have no batch in common or it is a sequence. Notes
// stay with the search. Reads every sample. Error kUsage: nothing would be left to search on at a
// shape.
ShapesSplit SplitShapes(std::vector<Dataset> all, double heldout_share, std::uint64_t seed);

}  // namespace halftone
