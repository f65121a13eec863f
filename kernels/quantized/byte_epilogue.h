// Epilogue of QLinearConv and QLinearMatMul: a residual operand and an activation, in float32
// before the one rounding (quantized.h has the formulas).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernels/kernel_table.h"
#include "kernels/quantized/byte_scale.h"
#include "kernels/quantized/operands.h"
#include "src/ir/fusion.h"

namespace halftone {

// Residual operand of one run, in the layout of the result.
struct ByteResidual {
  const void* data = nullptr;  // int8, uint8 or float32; null: none
  DType dtype = DType::kUInt8;
  float multiplier = 1;         // for bytes: its scale over the result's scale
  std::int32_t zero_point = 0;  // for bytes

  // Summand that the residual adds to element `index` of the result.
  [[nodiscard]] float At(std::int64_t index) const {
    if (dtype == DType::kFloat32) {
      return static_cast<const float*>(data)[index];
    }
    return static_cast<float>(ByteAt(dtype, data, index) - zero_point) * multiplier;
  }
};

// All that happens between the product fl(S) m and the rounding: bounds, and a residual that is
// added before or after the bounds. NaN, which a float32 residual may contain, passes the bounds.
struct ByteEpilogue {
  ByteBounds bounds;  // in steps of the result
  ResidualPlace place = ResidualPlace::kNone;
  ByteResidual residual;

  // Moves the residual forward by `elements` elements of the result.
  void Advance(std::int64_t elements) {
    if (residual.data != nullptr) {
      residual.data = static_cast<const std::byte*>(residual.data) +
                      elements * static_cast<std::int64_t>(SizeOf(residual.dtype));
    }
  }

  [[nodiscard]] float Apply(float v, std::int64_t index) const {
    if (place == ResidualPlace::kBefore) {
      v = v + residual.At(index);
    }
    v = bounds.Apply(v);
    if (place == ResidualPlace::kAfter) {
      v = v + residual.At(index);
    }
    return v;
  }
};

// Reason why the activation or the residual operand is not supported; empty if both are.
std::string_view RefusalOfEpilogue(const KernelQuery& query);

// Facts about the epilogue that are known before a run. Requires a query for which
// RefusalOfEpilogue() is empty.
struct ByteEpilogueFacts {
  explicit ByteEpilogueFacts(const KernelQuery& query);
  ByteEpilogueFacts() = default;

  // The epilogue of one run if its scales are float32.
  [[nodiscard]] ByteEpilogue Of(const ConstantInputs& constants, const KernelArgs& args) const {
    const auto input = [&](std::size_t operand) { return constants.Input(args, operand); };
    return Of(input, [&](std::size_t operand) {
      const auto* scale = static_cast<const float*>(input(operand));
      return scale == nullptr ? 1.0F : *scale;
    });
  }

  // The epilogue of one run. `input(i)` returns the data of operand i, or null if it is absent.
  // `scale(i)` returns the scale in operand i, or 1 if it is absent.
  template <typename Input, typename Scale>
  [[nodiscard]] ByteEpilogue Of(const Input& input, const Scale& scale) const {
    const float y_scale = scale(places.y_scale);
    ByteEpilogue epilogue{.bounds = bounds.In(y_scale), .place = place};
    if (place != ResidualPlace::kNone) {
      epilogue.residual = {.data = input(places.residual), .dtype = residual};
      if (residual != DType::kFloat32) {
        epilogue.residual.multiplier = ScaleRatio(scale(places.residual_scale), y_scale);
        epilogue.residual.zero_point = ZeroPointAt(residual, input(places.residual_zero));
      }
    }
    return epilogue;
  }

  OperandPlaces places;
  ByteBounds bounds;  // of real numbers
  ResidualPlace place = ResidualPlace::kNone;
  DType residual = DType::kUInt8;
};

// Epilogue of a prepared call; nullopt without residual operand and activation.
using MaybeByteEpilogue = std::optional<ByteEpilogue>;

class ByteEpilogueState {
 public:
  explicit ByteEpilogueState(const KernelQuery& query);

  // The epilogue of one run.
  [[nodiscard]] MaybeByteEpilogue Of(const ConstantInputs& constants,
                                     const KernelArgs& args) const {
    return facts_ ? MaybeByteEpilogue(facts_->Of(constants, args)) : std::nullopt;
  }

 private:
  std::optional<ByteEpilogueFacts> facts_;
};

// The epilogue for results that begin `elements` elements later.
inline MaybeByteEpilogue Later(MaybeByteEpilogue epilogue, std::int64_t elements) {
  if (epilogue) {
    epilogue->Advance(elements);
  }
  return epilogue;
}

}  // namespace halftone
