// Opening of the samples that a user names in files, or of samples in memory.
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
  std::vector<std::string> notes;   // full sentences, such as on rounded values or unused images
  std::vector<SetFolder> left_out;  // sets whose shapes are not those of the network
  std::string why_left_out;         // one sentence about `left_out`, with counts and first names
};

// Opens the samples of `inputs`, which has a form of DatasetOptions::inputs. `image` is
// DatasetOptions::image, `limit` is DatasetOptions::max_memory. Opens no further test_data_set_N
// folders after the first `wanted` samples; 0: opens all.
//
// Reads the headers of .npy and .pb files and the first file of a folder of images, which tell
// shapes, dtypes and numbers of samples. Reads .npz archives, and images for one of several inputs,
// as a whole. Errors as LoadDataset().
OpenedSamples OpenSamples(const Graph& graph, const std::string& inputs, std::size_t wanted,
                          std::string_view image = {}, std::int64_t limit = 0);

// Opens samples in memory. Errors kUsage and kModel as for a .npz archive with these arrays.
OpenedSamples OpenArrays(const Graph& graph, const SampleArrays& arrays);

}  // namespace halftone
