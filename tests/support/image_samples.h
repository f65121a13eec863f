// Samples of networks over images of any size, and numbers for their weights.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "src/base/rng.h"
#include "src/ir/tensor.h"
#include "src/onnx/tensor_proto.h"

namespace halftone::testing {

// Random numbers, uniform in [-0.2, 0.2).
inline std::vector<float> SmallNumbers(std::size_t count, Rng& rng) {
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(rng.Uniform(-0.2, 0.2));
  }
  return values;
}

// Writes folder/test_data_set_<number>/input_0.pb for input x: uniform in [-1, 1), with the seed
// `number`.
inline void WriteImageSample(const std::filesystem::path& folder, int number, const Shape& shape) {
  Tensor x(DType::kFloat32, shape);
  Rng rng(static_cast<std::uint64_t>(number));
  for (float& value : x.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-1, 1));
  }
  WriteTensorProto(folder / fmt::format("test_data_set_{}", number) / "input_0.pb", x, "x");
}

}  // namespace halftone::testing
