// Samples in memory, in place of the files of --inputs and --labels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/ir/tensor.h"

namespace halftone {

struct NamedArray {
  std::string name;
  Tensor tensor;
};

// Arrays have the shapes and dtypes that .npy files may have (DatasetOptions::inputs): samples are
// stacked along the first axis, or along a new one before it.
struct SampleArrays {
  // One array for each input of the network, by name; for a single input the name may be empty.
  // one input.
  std::vector<NamedArray> inputs;
  std::optional<Tensor> labels;  // of an integer type; the first axis counts the samples
  std::string labels_output;     // output that they are the classes of; empty: as Labels::output()
  std::string name = "arrays";   // for reports and messages: "inputs"; samples are "inputs[17]"
};

}  // namespace halftone
