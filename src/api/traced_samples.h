// Networks whose shapes or branches depend on data: they are read for one sample and serve those
// that agree with it.
#pragma once

#include <string>

#include "src/accuracy/dataset.h"
#include "src/api/halftone.h"
#include "src/onnx/reader.h"

namespace halftone {

// The first sample of `inputs` (DatasetOptions::inputs); null when there are none.
SampleSource FirstSampleOf(const std::string& inputs);

// "shapes and branches are those of the first sample, where 'k' is int64 1 [5]"; empty for none.
std::string DescribeTrace(const std::vector<TracedValue>& traced);

// LoadDataset(), and for a model with traced values: reads the model again for every sample. Error
// kUnsupported, naming sample and value, where one of them differs.
Dataset LoadSamples(const Model& model, const DatasetOptions& options);

// The latter part: for samples of a model that are loaded.
void RefuseOtherTraces(const Model& model, const Dataset& dataset);

}  // namespace halftone
