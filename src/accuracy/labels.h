// Readers of labels.
#pragma once

#include <cstddef>
#include <string>

#include "halftone/data.h"
#include "src/ir/graph.h"

namespace halftone {

// Reads the labels of `sample_count` (> 0) samples from a .npy or .pb file of integers. Its first
// axis counts samples, or rows if the batch of the network is larger than 1. Every sample has the
// same number of labels. `argument` is the file, or "OUTPUT:FILE" for labels of that output. Errors
// kIo as ReadTensorFile(). Error kModel: not integers, or another number of samples; if the graph
// has outputs, also a class that does not exist, or no floating output with as many rows of classes
// as a sample has labels. Error kUsage: the network has no output of that name.
Labels ReadLabels(const Graph& graph, const std::string& argument, std::size_t sample_count);

// The labels of samples in memory. Requires SampleArrays::labels. Errors kModel and kUsage as
// ReadLabels().
Labels LabelsIn(const Graph& graph, const SampleArrays& arrays, std::size_t sample_count);

}  // namespace halftone
