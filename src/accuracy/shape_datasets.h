// Datasets for one network at several input shapes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/accuracy/dataset.h"

namespace halftone {

// Loads one dataset for each graph, with the samples that fit its shapes by the rules of
// DatasetOptions; data with a larger batch may fit several graphs. For a single graph this is
// LoadDataset(). Errors as LoadDataset(), naming the input shape. With several graphs, error kModel
// also: a sample fits no graph, or a graph has no sample.
std::vector<Dataset> LoadDatasets(std::span<const Graph* const> graphs,
                                  const DatasetOptions& options);

// The shapes of the inputs as text: "x:1,3,224,224;y:1,10".
std::string InputShapesOf(const Graph& graph);

}  // namespace halftone
