// Split of the samples of one network at several input shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/accuracy/split.h"

namespace halftone {

struct ShapesSplit {
  std::vector<DataSplit> parts;  // one for each shape
  std::size_t left_out = 0;      // number of samples with both held-out rows and rows of the search
};

// Draws about the share `heldout_share`, in [0, 1), of the samples of each shape at random from
// `seed` and holds them out.
//
// A row is the part of a sample at one index of the batch axis. A sample whose inputs have
// different batches counts as one row; so does a sequence. Datasets of different batches may
// consist of the same rows in samples of different sizes. No row is held out at one shape and used
// by the search at another: the shape with the most rows per sample is drawn first, and the samples
// of other shapes follow the rows that they share with it. A sample with rows of both kinds is left
// out.
//
// DataSplit::search takes the notes. Reads every sample. Error kUsage: no sample would remain for
// the search at some shape.
ShapesSplit SplitShapes(std::vector<Dataset> all, double heldout_share, std::uint64_t seed);

}  // namespace halftone
