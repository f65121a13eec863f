#include "kernels/quantized/linear.h"

#include <algorithm>

#include "kernels/gemm/matrix_call.h"
#include "kernels/parallel.h"
#include "kernels/quantized/rounding.h"

namespace halftone {
namespace {

constexpr std::int64_t kPadding = 16;        // a vector's elements behind scales
constexpr std::int64_t kGrain = 1 << 16;     // elements: about 25 us at 5 bytes and 12 GB/s
constexpr std::int64_t kRangeRun = 1 << 15;  // elements of a partial range

struct LinearState final : KernelState {
  explicit LinearState(const KernelQuery& query)
      : layout(ScaleLayoutOf(query)),
        constants(query),
        x_dtype(query.inputs.at(0)->dtype),
        y_dtype(query.outputs.at(0)->dtype),
        scales(query.inputs.at(1)->shape.ElementCount()) {}

  ScaleLayout layout;
  ConstantInputs constants;
  DType x_dtype;
  DType y_dtype;
  std::int64_t scales;
  QuantizeLoop quantize = nullptr;
  DequantizeLoop dequantize = nullptr;
};

// Scales as float and zero points as int32, padded, in the scratch.
struct Scales {
  const float* scale;
  const std::int32_t* zero;
};

Scales ScalesOf(const LinearState& state, const KernelArgs& args, DType zero_dtype) {
  auto* scale = reinterpret_cast<float*>(args.scratch);
  auto* zero = reinterpret_cast<std::int32_t*>(scale + state.scales + kPadding);
  const auto* from = static_cast<const float*>(state.constants.Input(args, 1));
  const void* points = state.constants.Input(args, 2);
  for (std::int64_t i = 0; i < state.scales; ++i) {
    scale[i] = from[i];
    zero[i] = points == nullptr ? 0 : static_cast<std::int32_t>(IntegerAt(zero_dtype, points, i));
  }
  std::fill_n(scale + state.scales, kPadding, 1.0F);
  std::fill_n(zero + state.scales, kPadding, 0);
  return {scale, zero};
}

// Calls loop(first element, count, first scale) over runs of one scale, or, where the axis is the
// last, of one scale each.
template <typename Loop>
void ForRuns(const ScaleLayout& layout, const Loop& loop) {
  const std::int64_t rows = layout.outer * layout.axis;
  if (layout.per_tensor) {
    ParallelFor(rows * layout.inner, kGrain, [&](std::int64_t begin, std::int64_t end) {
      loop(begin, end - begin, std::int64_t{0});
    });
  } else if (layout.inner == 1) {
    const std::int64_t grain = kGrain / std::max<std::int64_t>(layout.axis, 1) + 1;
    ParallelFor(layout.outer, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t o = begin; o < end; ++o) {
        loop(o * layout.axis, layout.axis, std::int64_t{0});
      }
    });
  } else {
    const std::int64_t grain = kGrain / std::max<std::int64_t>(layout.inner, 1) + 1;
    ParallelFor(rows, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        loop(row * layout.inner, layout.inner, row % layout.axis);
      }
    });
  }
}

struct DynamicState final : KernelState {
  std::int64_t count = 0;
  ConstantInputs constants;

  explicit DynamicState(const KernelQuery& query)
      : count(query.inputs.at(0)->shape.ElementCount()), constants(query) {}

  [[nodiscard]] std::int64_t runs() const { return (count + kRangeRun - 1) / kRangeRun; }
};

}  // namespace

ScaleLayout ScaleLayoutOf(const KernelQuery& query) {
  const Shape& x = query.inputs.at(0)->shape;
  ScaleLayout layout;
  layout.block = query.attributes->Int("block_size", 0);
  layout.per_tensor = layout.block == 0 && query.inputs.at(1)->shape.ElementCount() == 1;
  if (layout.per_tensor) {
    layout.inner = x.ElementCount();
    return layout;
  }
  const std::int64_t stated = query.attributes->Int("axis", 1);
  const auto axis = static_cast<int>(stated < 0 ? stated + x.rank() : stated);
  layout.outer = x.ElementCount(0, axis);
  layout.axis = x[axis];
  layout.block = std::min(layout.block, layout.axis + 1);  // longer ones are one block, too
  layout.inner = x.ElementCount(axis + 1, x.rank());
  return layout;
}

std::string_view LinearRefusal(const KernelQuery& query) {
  const bool quantizes = query.op == OpKind::kQuantizeLinear;
  const TensorType& floats = quantizes ? *query.inputs.at(0) : *query.outputs.at(0);
  const TensorType& integers = quantizes ? *query.outputs.at(0) : *query.inputs.at(0);
  if (floats.dtype != DType::kFloat32 || query.inputs.at(1)->dtype != DType::kFloat32) {
    return "converts from and to float32 only";
  }
  if (QuantizeLoopFor(integers.dtype, true) == nullptr) {
    return "has no loop for 32-bit integers";
  }
  return query.attributes->Int("block_size", 0) != 0 ? "has no blocks of scales" : "";
}

std::unique_ptr<KernelState> PrepareLinear(const KernelQuery& query) {
  auto state = std::make_unique<LinearState>(query);
  const bool one_scale = state->layout.per_tensor || state->layout.inner != 1;
  state->quantize = QuantizeLoopFor(state->y_dtype, one_scale);
  state->dequantize = DequantizeLoopFor(state->x_dtype, one_scale);
  return state;
}

std::size_t LinearScratchBytes(const KernelState& state) {
  const auto& linear = static_cast<const LinearState&>(state);
  return static_cast<std::size_t>(linear.scales + kPadding) * 2 * sizeof(float);
}

void RunQuantizeLinear(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const LinearState&>(*args.state);
  const Scales scales = ScalesOf(state, args, state.y_dtype);
  const auto* x = static_cast<const float*>(state.constants.Input(args, 0));
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  const auto element = static_cast<std::int64_t>(SizeOf(state.y_dtype));
  ForRuns(state.layout, [&](std::int64_t first, std::int64_t count, std::int64_t scale) {
    state.quantize(x + first, y + first * element, count, scales.scale + scale,
                   scales.zero + scale);
  });
}

void RunDequantizeLinear(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const LinearState&>(*args.state);
  const Scales scales = ScalesOf(state, args, state.x_dtype);
  const auto* x = static_cast<const std::byte*>(state.constants.Input(args, 0));
  auto* y = static_cast<float*>(args.outputs[0]);
  const auto element = static_cast<std::int64_t>(SizeOf(state.x_dtype));
  ForRuns(state.layout, [&](std::int64_t first, std::int64_t count, std::int64_t scale) {
    state.dequantize(x + first * element, y + first, count, scales.scale + scale,
                     scales.zero + scale);
  });
}

std::string_view DynamicQuantizeRefusal(const KernelQuery& query) {
  const TensorType* scale = query.outputs.size() > 1 ? query.outputs[1] : nullptr;
  return scale != nullptr && scale->dtype != DType::kFloat32 ? "makes scales in float32 only" : "";
}

std::unique_ptr<KernelState> PrepareDynamicQuantize(const KernelQuery& query) {
  return std::make_unique<DynamicState>(query);
}

std::size_t DynamicQuantizeScratchBytes(const KernelState& state) {
  return static_cast<std::size_t>(static_cast<const DynamicState&>(state).runs()) *
         sizeof(FloatRange);
}

void RunDynamicQuantize(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const DynamicState&>(*args.state);
  const auto* x = static_cast<const float*>(state.constants.Input(args, 0));
  auto* parts = reinterpret_cast<FloatRange*>(args.scratch);
  ParallelFor(state.runs(), kGrain / kRangeRun, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t run = begin; run < end; ++run) {
      const std::int64_t first = run * kRangeRun;
      parts[run] = RangeOfFloats(x + first, std::min(kRangeRun, state.count - first));
    }
  });
  FloatRange range;
  for (std::int64_t run = 0; run < state.runs(); ++run) {
    range.low = std::min(range.low, parts[run].low);
    range.high = std::max(range.high, parts[run].high);
  }
  const DynamicScale scale = DynamicScaleOf(range);
  auto* y = static_cast<std::uint8_t*>(args.outputs[0]);
  const QuantizeLoop loop = QuantizeLoopFor(DType::kUInt8, true);
  ParallelFor(state.count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    loop(x + begin, y + begin, end - begin, &scale.scale, &scale.zero_point);
  });
  if (args.outputs.size() > 1 && args.outputs[1] != nullptr) {
    *static_cast<float*>(args.outputs[1]) = scale.scale;
  }
  if (args.outputs.size() > 2 && args.outputs[2] != nullptr) {
    *static_cast<std::uint8_t*>(args.outputs[2]) = static_cast<std::uint8_t>(scale.zero_point);
  }
}

DynamicScale DynamicScaleOf(FloatRange range) {
  DynamicScale result;
  const float scale = (range.high - range.low) / 255.0F;
  result.scale = scale == 0.0F ? 1.0F : scale;
  result.zero_point = Quantized(-range.low / result.scale, 0, RangeOfInteger(DType::kUInt8));
  return result;
}

}  // namespace halftone
