// Scale and zero point of a tensor of bytes, and the operands that carry them. References and
// vector loops of the operators between quantised tensors share these definitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "kernels/kernel_table.h"
#include "kernels/quantized/rounding.h"

namespace halftone {

// A byte q stands for scale * (q - zero_point).
struct ByteScale {
  DType dtype = DType::kUInt8;  // or int8
  float scale = 1;
  std::int32_t zero_point = 0;
};

// Byte `index` of `data`, an array of int8 or uint8, as a number.
inline std::int32_t ByteAt(DType dtype, const void* data, std::int64_t index) {
  const std::uint8_t byte = static_cast<const std::uint8_t*>(data)[index];
  return dtype == DType::kInt8 ? std::int32_t{static_cast<std::int8_t>(byte)} : byte;
}

// Scale and zero point of a tensor of type `dtype`, from the operands `scale` and `scale` + 1. The
// scale has type `scale_dtype`; only tests of the references choose another one than float32.
inline ByteScale ByteScaleAt(const KernelArgs& args, std::size_t scale, DType dtype,
                             DType scale_dtype = DType::kFloat32) {
  return {.dtype = dtype,
          .scale = static_cast<float>(DoubleAt(scale_dtype, args.inputs[scale], 0)),
          .zero_point = ByteAt(dtype, args.inputs[scale + 1], 0)};
}

// Factor from steps of scale `from` to steps of scale `to`, rounded once.
inline float ScaleRatio(float from, float to) {
  return from / to;
}

// Factor that turns a sum of `count` bytes less their zero points into their average in steps of y.
// A `count` of 0 counts as 1.
inline float AverageMultiplier(float x_scale, float y_scale, std::int64_t count) {
  return static_cast<float>(
      static_cast<double>(x_scale) /
      (static_cast<double>(y_scale) * static_cast<double>(count > 0 ? count : std::int64_t{1})));
}

// Bounds of the activation Relu or Clip after an operator, as real numbers or in steps of the
// result.
struct ByteBounds {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  ByteBounds() = default;

  ByteBounds(float least, float most) : low(least), high(most) {}

  explicit ByteBounds(const KernelQuery& query) {
    if (const auto& activation = query.fusion->activation) {
      low = activation->op == OpKind::kRelu ? 0.0F : activation->low;
      high = activation->op == OpKind::kRelu ? high : activation->high;
    }
  }

  // Bounds of real numbers in steps of y_scale.
  [[nodiscard]] ByteBounds In(float y_scale) const { return {low / y_scale, high / y_scale}; }

  [[nodiscard]] bool IsBounded() const {
    return low > -std::numeric_limits<float>::infinity() ||
           high < std::numeric_limits<float>::infinity();
  }

  // NaN passes.
  [[nodiscard]] float Apply(float v) const {
    v = v < low ? low : v;
    return v > high ? high : v;
  }
};

// Reason why the activation is not supported; empty if it is.
inline std::string_view RefusalOfBounds(const KernelQuery& query) {
  const auto& activation = query.fusion->activation;
  return activation && activation->op != OpKind::kRelu && activation->op != OpKind::kClip
             ? "has no activation but Relu and Clip"
             : "";
}

}  // namespace halftone
