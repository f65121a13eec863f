// Number of samples in the tensor of a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/base/error.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// Error kModel for data of another shape than the input's. Its message says what was expected and
// found, AdviceFor() what to do.
class ShapeMismatch : public Error {
 public:
  ShapeMismatch(std::string what, Value input, Shape found)
      : Error(ErrorKind::kModel, std::move(what)),
        input_(std::move(input)),
        found_(std::move(found)) {}

  [[nodiscard]] const Value& input() const { return input_; }

  [[nodiscard]] const Shape& found() const { return found_; }

 private:
  Value input_;
  Shape found_;
};

// Advice on data of another shape, a clause: reshape it where the number of elements is the same,
// transpose it where its axes stand in another order, else write it anew, or read the network for
// it where it leaves these extents free. `declared`: the extents in the model, negative where they
// are free; empty: not known.
std::string AdviceFor(const ShapeMismatch& mismatch, const std::vector<std::int64_t>& declared);

// Number of samples of the type of `input` that are stacked along axis 0, or along a new first
// axis; a scalar is one. Error ShapeMismatch when the tensor of the file has another rank or other
// extents.
std::int64_t SampleCount(const Value& input, const std::filesystem::path& path,
                         const TensorType& found);

}  // namespace halftone
