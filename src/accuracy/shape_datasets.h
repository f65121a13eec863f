// Datasets for one network at several input shapes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/accuracy/dataset.h"

namespace halftone {

// Each graph gets the samples that fit its shapes, by the rules of DatasetOptions (a larger batch
// may fit several). One graph: LoadDataset(). Error as there, naming the input shape; with several
// graphs, kModel for a sample that fits none of them, and for a graph that no sample fits.
std::vector<Dataset> LoadDatasets(std::span<const Graph* const> graphs,
                                  const DatasetOptions& options);

// "x:1,3,224,224;y:1,10", the shapes of the inputs.
std::string InputShapesOf(const Graph& graph);

}  // namespace halftone
