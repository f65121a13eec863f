// Number of samples in the tensor of a file, and advice if its shape does not fit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/error.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// Error kModel for data whose shape does not fit the input. The message has the expected and the
// found shape; AdviceFor() has the advice.
class ShapeMismatch : public Error {
 public:
  ShapeMismatch(std::string_view what, Value input, Shape found)
      : Error(ErrorKind::kModel, what), input_(std::move(input)), found_(std::move(found)) {}

  [[nodiscard]] const Value& input() const { return input_; }

  [[nodiscard]] const Shape& found() const { return found_; }

 private:
  Value input_;
  Shape found_;
};

// Advice, as a clause, on data of another shape: to reshape them if the rank is wrong but the
// elements suffice, to transpose them if their axes are in another order, to give --input_shape if
// the model leaves these extents free, or else to write the data in the right shape. `declared` has
// the extents in the model, negative where they are free; empty: unknown.
std::string AdviceFor(const ShapeMismatch& mismatch, const std::vector<std::int64_t>& declared);

// Number of samples in a tensor of type `found`: samples of the type of `input`, stacked along axis
// 0 or along a new axis before it. A scalar is one sample. Throws ShapeMismatch if the rank or the
// extents do not fit.
std::int64_t SampleCount(const Value& input, const std::filesystem::path& path,
                         const TensorType& found);

}  // namespace halftone
