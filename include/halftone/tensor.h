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

// Extents of a tensor, all known: a network has no free dimensions once it is read.
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

struct Float16;   // src/ir/half.h
struct BFloat16;  // src/ir/half.h

// Maps element types to DType: ElementTraits<float>::kDType.
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

// Contiguous row-major data, aligned to 64 bytes. A copy shares the bytes: a tensor is written by
// whoever made it, before it is passed on, and read-only from then on (so sharing between threads
// and between the executables of one tuning run is safe).
class Tensor {
 public:
  Tensor() = default;  // float32 scalar without data

  // Zero-filled.
  explicit Tensor(TensorType type);

  Tensor(DType dtype, Shape shape) : Tensor(TensorType{dtype, std::move(shape)}) {}

  // A view of bytes stored elsewhere, such as a mapped file, which `bytes` keeps alive: at least
  // size_bytes() of them, at an address that is a multiple of kAlignment; never written.
  Tensor(TensorType type, std::shared_ptr<const std::byte[]> bytes);

  static constexpr std::size_t kAlignment = 64;  // one cache line, one 512-bit vector

  template <typename T>
  static Tensor From(Shape shape, std::span<const T> values);

  [[nodiscard]] const TensorType& type() const { return type_; }

  [[nodiscard]] DType dtype() const { return type_.dtype; }

  [[nodiscard]] const Shape& shape() const { return type_.shape; }

  [[nodiscard]] std::int64_t ElementCount() const { return type_.shape.ElementCount(); }

  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

  // True if data() is valid: not in a Tensor() without a type, nor after the bytes were released
  // (src/exec/shared_constants.h).
  [[nodiscard]] bool has_bytes() const { return bytes_ != nullptr; }

  // True if another tensor has the same bytes.
  [[nodiscard]] bool is_shared() const { return bytes_.use_count() > 1; }

  [[nodiscard]] const std::byte* data() const { return bytes_.get(); }

  [[nodiscard]] std::byte* mutable_data() { return bytes_.get(); }

  [[nodiscard]] std::span<const std::byte> bytes() const { return {bytes_.get(), size_bytes_}; }

  // The elements; T must be the element type of dtype().
  template <typename T>
  [[nodiscard]] std::span<const T> values() const;
  template <typename T>
  [[nodiscard]] std::span<T> mutable_values();

  // The same bytes under another shape of the same element count.
  [[nodiscard]] Tensor Reshaped(Shape shape) const;

 private:
  static void CheckElementType(DType expected, DType actual);

  TensorType type_;
  std::size_t size_bytes_ = 0;
  std::shared_ptr<std::byte[]> bytes_;
};

// Converts every element, rounded to nearest even. Returns `tensor` itself if it has the dtype.
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
