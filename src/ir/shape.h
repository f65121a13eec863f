// The extents of a tensor. Concrete: a Graph has no unknown dimensions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace halftone {

class Shape {
 public:
  Shape() = default;  // rank 0: a scalar

  Shape(std::initializer_list<std::int64_t> dims) : dims_(dims) {}

  explicit Shape(std::vector<std::int64_t> dims) : dims_(std::move(dims)) {}

  [[nodiscard]] int rank() const { return static_cast<int>(dims_.size()); }

  std::int64_t operator[](int axis) const { return dims_[static_cast<std::size_t>(axis)]; }

  std::int64_t& operator[](int axis) { return dims_[static_cast<std::size_t>(axis)]; }

  [[nodiscard]] const std::vector<std::int64_t>& dims() const { return dims_; }

  // The product of the extents, 1 for a scalar. Error kModel when it exceeds 2^59, or when an
  // extent exceeds 2^40 or is negative: such a shape comes from a hostile file, not from a network.
  [[nodiscard]] std::int64_t ElementCount() const;

  // The product of the extents in [first, last).
  [[nodiscard]] std::int64_t ElementCount(int first, int last) const;

  // "1x3x224x224", "scalar".
  [[nodiscard]] std::string ToString() const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::vector<std::int64_t> dims_;
};

// Row-major strides in elements.
std::vector<std::int64_t> StridesOf(const Shape& shape);

// `axis` counted from the front; negative counts from the back. Error kModel outside [-rank, rank).
int NormalizeAxis(std::int64_t axis, int rank);

// The common shape by the multidirectional broadcasting rule of ONNX. Error kModel when there is
// none.
Shape BroadcastShapes(const Shape& a, const Shape& b);

}  // namespace halftone
