// Finder of the extents that a model leaves free: it takes them from the headers of the samples,
// before the network is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/onnx/model_inputs.h"

namespace halftone {

struct DataExtents {
  // Extents of each input. Each kFreeDimension of the model is replaced where the data determine
  // it. A free first axis along which samples are stacked is the batch and becomes 1.
  std::vector<std::vector<std::int64_t>> dims;
  // Raw files, by index of the input, for inputs with free axes: they have no header, so they
  // determine nothing.
  std::map<std::size_t, std::filesystem::path> without_header;
  std::vector<std::string> notes;  // full sentences
};

// Finds the extents for every form of DatasetOptions::inputs and for arrays in memory. Among
// folders test_data_set_N, the first decides. Data of another rank than the input determine
// nothing, and neither do samples that leave the input out; the loader of the samples reports such
// faults. Errors as FindInputs(), StoredTensor, NpzTypes(), ReadImage() and ImageExtents().
DataExtents ExtentsInData(std::span<const ModelInput> inputs, const DatasetOptions& options);

}  // namespace halftone
