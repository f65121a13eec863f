// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
//
//   quantised    y = saturate(rint(x / scale) + zero_point): the quotient in float32, then half to
//                even (rounding.h)
//   dequantised  y = float(x - zero_point) * scale: the product rounds once; the difference is
//                exact, except that of int32, which is rounded to float32 first
//   dynamic      low = min(x, 0) and high = max(x, 0) over all elements that are not NaN;
//                scale = (high - low) / 255, or 1 if that is 0, as in ONNX Runtime;
//                zero_point = saturate(rint(-low / scale))
// Scale and zero point are one number, one along an axis, or one for each block along an axis.
#pragma once

#include <cstdint>

#include "kernels/kernel_table.h"

namespace halftone {

// A tensor as [outer, axis, inner], and which scale belongs to each element.
struct ScaleLayout {
  std::int64_t outer = 1;
  std::int64_t axis = 1;
  std::int64_t inner = 1;
  bool per_tensor = true;
  std::int64_t block = 0;  // elements of a block along the axis; 0: one scale for each index

  // Index of the scale of element (o, a, i).
  [[nodiscard]] std::int64_t ScaleAt(std::int64_t o, std::int64_t a, std::int64_t i) const {
    if (per_tensor) {
      return 0;
    }
    return block == 0 ? a : (o * ((axis + block - 1) / block) + a / block) * inner + i;
  }
};

ScaleLayout ScaleLayoutOf(const KernelQuery& query);

// Vector loops (linear_loops.cc) over `count` elements, with one scale and zero point for all, or
// one of each for every element.
using QuantizeLoop = void (*)(const float* x, void* y, std::int64_t count, const float* scale,
                              const std::int32_t* zero_point) noexcept;
using DequantizeLoop = void (*)(const void* x, float* y, std::int64_t count, const float* scale,
                                const std::int32_t* zero_point) noexcept;

// The loop of an integer dtype; null if there is none.
QuantizeLoop QuantizeLoopFor(DType dtype, bool one_scale);
DequantizeLoop DequantizeLoopFor(DType dtype, bool one_scale);

struct FloatRange {
  float low = 0;
  float high = 0;
};

// The least and the greatest of the elements and 0. NaN is ignored.
FloatRange RangeOfFloats(const float* x, std::int64_t count) noexcept;

std::string_view LinearRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareLinear(const KernelQuery& query);
std::size_t LinearScratchBytes(const KernelState& state);
void RunQuantizeLinear(const KernelArgs& args) noexcept;
void RunDequantizeLinear(const KernelArgs& args) noexcept;

std::string_view DynamicQuantizeRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareDynamicQuantize(const KernelQuery& query);
std::size_t DynamicQuantizeScratchBytes(const KernelState& state);
void RunDynamicQuantize(const KernelArgs& args) noexcept;

// References (linear_reference.cc), for any floating type and any layout of scales.
std::unique_ptr<KernelState> PrepareLinearReference(const KernelQuery& query);
void RunQuantizeLinearReference(const KernelArgs& args) noexcept;
void RunDequantizeLinearReference(const KernelArgs& args) noexcept;
void RunDynamicQuantizeReference(const KernelArgs& args) noexcept;

// Scale and zero point of DynamicQuantizeLinear for a range that contains 0.
struct DynamicScale {
  float scale = 1;
  std::int32_t zero_point = 0;
};

DynamicScale DynamicScaleOf(FloatRange range);

}  // namespace halftone
