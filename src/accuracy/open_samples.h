// Finder of the samples that a user names: files, number of samples, names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halftone/data.h"
#include "src/accuracy/sample_reader.h"
#include "src/accuracy/sample_sets.h"
#include "src/ir/graph.h"

namespace halftone {

struct OpenedSamples {
  std::unique_ptr<SampleReader> reader;
  std::vector<std::string> notes;   // a sentence for each kind: roundings, images left over
  std::vector<SetFolder> left_out;  // sets of other shapes than the network's
  std::string why_left_out;         // one sentence about them, with counts and the first names
};

// Opens `inputs`, in a form of DatasetOptions::inputs; `image`: DatasetOptions::image. Reads only
// headers, and none of images, to know shapes, dtypes, sizes and counts of every file. Opens no
// test_data_set_N folders after the first `wanted` samples; 0: opens all. `limit`:
// DatasetOptions::max_memory. Errors as LoadDataset().
OpenedSamples OpenSamples(const Graph& graph, const std::string& inputs, std::size_t wanted,
                          std::string_view image = {}, std::int64_t limit = 0);

// Samples in memory. Errors kUsage, kModel as of a .npz archive.
OpenedSamples OpenArrays(const Graph& graph, const SampleArrays& arrays);

}  // namespace halftone
