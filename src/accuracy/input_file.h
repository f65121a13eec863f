// One file of input data: reading, conversion to the input's dtype, and what is refused.
#pragma once

#include <filesystem>

#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// The tensors of one file for each graph input, before they are split into samples.
struct InputFile {
  std::filesystem::path path;
  Tensor tensor;
};

// By extension: .npy or .pb. Error kIo for any other.
Tensor ReadTensorFile(const std::filesystem::path& path);

// The tensor in the dtype of the input. Converted are float16 and double to float32 (what numpy
// writes by default), and integers and bools among each other when every value fits. Anything else
// would change values silently and is refused (kModel).
Tensor ConvertedFor(const Value& input, const InputFile& file);

// Error kModel naming file, sample and element when a float is NaN or infinite: against a reference
// of NaN no metric says anything, and what overflows later could not be told from what was so.
void CheckFinite(const Value& input, const InputFile& file);

}  // namespace halftone
