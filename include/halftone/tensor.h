// Tensors: an owning value type, its shape, and its element type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "halftone/dtype.h"

namespace halftone {

// Extents of a tensor. All are known: a network that was read has no free dimensions.
class Shape {
 public:
  Shape() = default;  // rank 0: a scalar

  Shape(std::initializer_list<std::int64_t> dims) : dims_(dims) {}

  explicit Shape(std::vector<std::int64_t> dims) : dims_(std::move(dims)) {}

  [[nodiscard]] int rank() const { return static_cast<int>(dims_.size()); }

  std::int64_t operator[](int axis) const { return dims_[static_cast<std::size_t>(axis)]; }

  std::int64_t& operator[](int axis) { return dims_[static_cast<std::size_t>(axis)]; }

  [[nodiscard]] const std::vector<std::int64_t>& dims() const { return dims_; }

  // Product of the extents; 1 for a scalar. Error kModel if it exceeds 2^59, or if an extent is
  // negative or exceeds 2^40: only a damaged or hostile file has such a shape.
  [[nodiscard]] std::int64_t ElementCount() const;

  // Product of the extents with index in [first, last). Errors as ElementCount().
  [[nodiscard]] std::int64_t ElementCount(int first, int last) const;

  // "1x3x224x224", "scalar".
  [[nodiscard]] std::string ToString() const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::vector<std::int64_t> dims_;
};

struct TensorType {
  DType dtype = DType::kFloat32;
  Shape shape;

  [[nodiscard]] std::int64_t size_bytes() const {
    return shape.ElementCount() * static_cast<std::int64_t>(SizeOf(dtype));
  }

  // "float32 1x3x224x224"
  [[nodiscard]] std::string ToString() const;

  friend bool operator==(const TensorType&, const TensorType&) = default;
};

struct Float16;   // defined inside the library (src/ir/half.h): 2 bytes of IEEE binary16
struct BFloat16;  // defined inside the library (src/ir/half.h): 2 bytes of bfloat16

// Maps an element type to its DType: ElementTraits<float>::kDType is kFloat32.
template <typename T>
struct ElementTraits;

template <>
struct ElementTraits<float> {
  static constexpr DType kDType = DType::kFloat32;
};

template <>
struct ElementTraits<Float16> {
  static constexpr DType kDType = DType::kFloat16;
};

template <>
struct ElementTraits<BFloat16> {
  static constexpr DType kDType = DType::kBFloat16;
};

template <>
struct ElementTraits<double> {
  static constexpr DType kDType = DType::kFloat64;
};

template <>
struct ElementTraits<std::int8_t> {
  static constexpr DType kDType = DType::kInt8;
};

template <>
struct ElementTraits<std::uint8_t> {
  static constexpr DType kDType = DType::kUInt8;
};

template <>
struct ElementTraits<std::int16_t> {
  static constexpr DType kDType = DType::kInt16;
};

template <>
struct ElementTraits<std::uint16_t> {
  static constexpr DType kDType = DType::kUInt16;
};

template <>
struct ElementTraits<std::int32_t> {
  static constexpr DType kDType = DType::kInt32;
};

template <>
struct ElementTraits<std::uint32_t> {
  static constexpr DType kDType = DType::kUInt32;
};

template <>
struct ElementTraits<std::int64_t> {
  static constexpr DType kDType = DType::kInt64;
};

template <>
struct ElementTraits<std::uint64_t> {
  static constexpr DType kDType = DType::kUInt64;
};

template <>
struct ElementTraits<bool> {
  static constexpr DType kDType = DType::kBool;
};

// A type and its elements, contiguous in row-major order, at an address that is a multiple of 64.
// Copies share the elements, which the last copy frees. Write the elements of a tensor only before
// it is copied or passed on; afterwards any number of threads may read it and its copies.
class Tensor {
 public:
  Tensor() = default;  // float32 scalar without elements

  // All elements are zero. Errors: kModel for a shape as in Shape::ElementCount(), kUnsupported if
  // the system refuses the memory.
  explicit Tensor(TensorType type);

  Tensor(DType dtype, Shape shape) : Tensor(TensorType{dtype, std::move(shape)}) {}

  // Refers to elements stored elsewhere, such as a mapped file. The tensor shares the ownership of
  // `bytes`, at least size_bytes() of them, and must not be written. Error kInternal unless the
  // address is a multiple of kAlignment.
  Tensor(TensorType type, std::shared_ptr<const std::byte[]> bytes);

  static constexpr std::size_t kAlignment = 64;  // one cache line, one 512-bit vector

  // A new tensor with a copy of `values`. Missing values are zero; superfluous ones are ignored.
  template <typename T>
  static Tensor From(Shape shape, std::span<const T> values);

  [[nodiscard]] const TensorType& type() const { return type_; }

  [[nodiscard]] DType dtype() const { return type_.dtype; }

  [[nodiscard]] const Shape& shape() const { return type_.shape; }

  [[nodiscard]] std::int64_t ElementCount() const { return type_.shape.ElementCount(); }

  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

  // True if the tensor has elements. False for Tensor(), and for constants that the library has
  // released.
  [[nodiscard]] bool has_bytes() const { return bytes_ != nullptr; }

  // True if another tensor shares the elements.
  [[nodiscard]] bool is_shared() const { return bytes_.use_count() > 1; }

  [[nodiscard]] const std::byte* data() const { return bytes_.get(); }

  [[nodiscard]] std::byte* mutable_data() { return bytes_.get(); }

  [[nodiscard]] std::span<const std::byte> bytes() const { return {bytes_.get(), size_bytes_}; }

  // The elements. Error kInternal unless T is the element type of dtype().
  template <typename T>
  [[nodiscard]] std::span<const T> values() const;
  template <typename T>
  [[nodiscard]] std::span<T> mutable_values();

  // Shares the elements under another shape. Error kInternal unless the element count is the same.
  [[nodiscard]] Tensor Reshaped(Shape shape) const;

 private:
  static void CheckElementType(DType expected, DType actual);

  TensorType type_;
  std::size_t size_bytes_ = 0;
  std::shared_ptr<std::byte[]> bytes_;
};

// Returns `tensor` with every element converted, or `tensor` itself if it has the dtype. Floating
// results are rounded to nearest, ties to even. Floating numbers become integers by truncation
// toward zero and saturation, NaN becomes 0. Integers become narrower integers modulo 2^bits. A
// bool is true for any number but zero.
Tensor Convert(const Tensor& tensor, DType dtype);

template <typename T>
std::span<const T> Tensor::values() const {
  CheckElementType(ElementTraits<T>::kDType, type_.dtype);
  return {reinterpret_cast<const T*>(bytes_.get()), size_bytes_ / sizeof(T)};
}

template <typename T>
std::span<T> Tensor::mutable_values() {
  CheckElementType(ElementTraits<T>::kDType, type_.dtype);
  return {reinterpret_cast<T*>(bytes_.get()), size_bytes_ / sizeof(T)};
}

template <typename T>
Tensor Tensor::From(Shape shape, std::span<const T> values) {
  Tensor tensor(ElementTraits<T>::kDType, std::move(shape));
  const auto target = tensor.mutable_values<T>();
  CheckElementType(tensor.dtype(), ElementTraits<T>::kDType);
  for (std::size_t i = 0; i < target.size() && i < values.size(); ++i) {
    target[i] = values[i];
  }
  return tensor;
}

}  // namespace halftone
