// Extents of a network's inputs as its samples have them, for dimensions that the model leaves
// free: found by headers, before the network is read.
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
  // Extents of each input as the model declares them, kFreeDimension filled where the data say
  // them. A free first axis along which samples are stacked is the batch, 1.
  std::vector<std::vector<std::int64_t>> dims;
  // Raw files, by input, with free axes behind the first that nothing determines.
  std::map<std::size_t, std::filesystem::path> without_header;
  std::vector<std::string> notes;  // full sentences
};

// Reads headers of every form of DatasetOptions::inputs, and of arrays in memory. Of
// test_data_set_N folders the first counts. Data of another rank than the input, and inputs that
// the samples leave out, determine nothing: loading the samples reports the error. Errors as
// FindInputs(), StoredTensor, NpzTypes(), ReadImage() and ImageExtents().
DataExtents ExtentsInData(std::span<const ModelInput> inputs, const DatasetOptions& options);

}  // namespace halftone
