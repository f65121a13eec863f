// Finds the samples that a user names: which files, how many samples, under which names.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "src/accuracy/sample_reader.h"
#include "src/accuracy/sample_sets.h"
#include "src/ir/graph.h"

namespace halftone {

struct OpenedSamples {
  std::unique_ptr<SampleReader> reader;
  std::vector<std::string> notes;   // what is rounded, a sentence each; the first few files
  std::vector<SetFolder> left_out;  // sets of other shapes than the network's
  std::vector<std::string> why;     // of the first few of them
};

// `inputs` as DatasetOptions::inputs has it. Only what stands before the values of tensors is read:
// shapes, dtypes, sizes and counts are known then, of every file. Of test_data_set_N folders, those
// behind the first `wanted` samples are not looked at; 0: all are. Errors as LoadDataset().
OpenedSamples OpenSamples(const Graph& graph, const std::string& inputs, std::size_t wanted);

// "test_data_set_7 is left out: ..."
std::string DescribeLeftOut(const SetFolder& set, const std::string& why);

}  // namespace halftone
