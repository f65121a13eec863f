// Specification of the operators between quantised tensors: one element at a time.
#include <algorithm>
#include <limits>
#include <string>

#include "kernels/binary/broadcast.h"
#include "kernels/quantized/byte_operators.h"
#include "kernels/quantized/byte_resize.h"
#include "kernels/quantized/byte_scale.h"
#include "src/base/error.h"

namespace halftone {
namespace {

void StoreByte(const ByteScale& y, void* data, std::int64_t index, float v) {
  static_cast<std::uint8_t*>(data)[index] =
      static_cast<std::uint8_t>(Quantized(v, y.zero_point, RangeOfInteger(y.dtype)));
}

// An element as a whole number of steps of its scale.
std::int32_t StepsAt(const ByteScale& x, const void* data, std::int64_t index) {
  return ByteAt(x.dtype, data, index) - x.zero_point;
}

// Types of all operands: tests run references on scales in other types than float32.
struct TypedState : KernelState {
  explicit TypedState(const KernelQuery& query) {
    for (const TensorType* type : query.inputs) {
      dtypes.push_back(type == nullptr ? DType::kFloat32 : type->dtype);
    }
  }

  // Scale and zero point of a tensor of type `dtype`, at operand `scale` and behind it.
  [[nodiscard]] ByteScale ScaleAt(const KernelArgs& args, std::size_t scale, DType dtype) const {
    return ByteScaleAt(args, scale, dtype, dtypes[scale]);
  }

  std::vector<DType> dtypes;
};

struct BinaryReference final : TypedState {
  explicit BinaryReference(const KernelQuery& query)
      : TypedState(query),
        multiplies(query.op == OpKind::kQLinearMul),
        a_dtype(query.Input(0)->dtype),
        b_dtype(query.Input(3)->dtype),
        y_dtype(query.outputs.at(0)->dtype),
        plan(PlanBroadcast(query.outputs.at(0)->shape,
                           {&query.Input(0)->shape, &query.Input(3)->shape})),
        bounds(query) {}

  bool multiplies;
  DType a_dtype, b_dtype, y_dtype;
  BroadcastPlan plan;
  ByteBounds bounds;
};

struct ConcatPart {
  DType dtype;
  std::int64_t elements;  // of a row
};

struct ConcatReference final : TypedState {
  explicit ConcatReference(const KernelQuery& query)
      : TypedState(query), y_dtype(query.outputs.at(0)->dtype) {
    const Shape& y = query.outputs.at(0)->shape;
    const int axis = NormalizeAxis(query.attributes->Int("axis", 0), y.rank());
    outer = y.ElementCount(0, axis);
    for (std::size_t i = 2; i < query.inputs.size(); i += 3) {
      parts.push_back({query.Input(i)->dtype, query.Input(i)->shape.ElementCount(axis, y.rank())});
    }
  }

  DType y_dtype;
  std::int64_t outer = 1;
  std::vector<ConcatPart> parts;
};

struct BytePoolReference final : TypedState {
  explicit BytePoolReference(const KernelQuery& query)
      : TypedState(query),
        call(BytePoolCallOf(query)),
        x_dtype(query.Input(0)->dtype),
        y_dtype(query.outputs.at(0)->dtype) {}

  PoolCall call;
  DType x_dtype, y_dtype;
};

struct ByteResizeReference final : TypedState {
  explicit ByteResizeReference(const KernelQuery& query)
      : TypedState(query),
        x_dtype(query.Input(0)->dtype),
        y_dtype(query.outputs.at(0)->dtype),
        taps(ByteResizeTaps(query)) {}

  DType x_dtype, y_dtype;
  SeparableTaps taps;
};

// An element between both axes of a Resize: its row is one of the result, its column of the source.
struct BlendedPlace {
  std::int64_t plane, row, column, element;
};

float BlendedAt(const SeparableTaps& taps, const ByteScale& scale, const void* x,
                const BlendedPlace& at) {
  float sum = 0;
  for (int k = 0; k < taps.vertical.width; ++k) {
    const auto tap = static_cast<std::size_t>(at.row * taps.vertical.width + k);
    const std::int64_t row = at.plane * taps.source_height + taps.vertical.index[tap];
    const std::int32_t steps =
        StepsAt(scale, x, (row * taps.source_width + at.column) * taps.inner + at.element);
    const float term = taps.vertical.weight[tap] * static_cast<float>(steps);
    sum = k == 0 ? term : sum + term;
  }
  return sum;
}

struct LookupReference final : KernelState {
  explicit LookupReference(const KernelQuery& query) : extents(query) {}

  LookupExtents extents;
};

using PoolIndex = std::array<std::int64_t, kSpatialAxes>;

// Sum over the taps inside the input, and the number that the average divides by.
struct PooledSum {
  std::int64_t sum = 0;
  std::int64_t count = 1;
};

PooledSum SumAt(const PoolCall& call, const ByteScale& scale, const void* x, std::int64_t image,
                std::int64_t channel, const PoolIndex& out) {
  std::array<TapRange, kSpatialAxes> taps;
  PoolIndex start{};
  PooledSum pooled;
  for (std::size_t i = 0; i < kSpatialAxes; ++i) {
    taps[i] = TapsAt(call, i, out[i]);
    start[i] = out[i] * call.stride[i] - call.pad[i];
    pooled.count *= taps[i].counted;
  }
  for (std::int64_t d = taps[0].first; d < taps[0].last; ++d) {
    for (std::int64_t h = taps[1].first; h < taps[1].last; ++h) {
      for (std::int64_t w = taps[2].first; w < taps[2].last; ++w) {
        const std::int64_t pixel =
            ((start[0] + d * call.dilation[0]) * call.input[1] + start[1] + h * call.dilation[1]) *
                call.input[2] +
            start[2] + w * call.dilation[2];
        pooled.sum += StepsAt(scale, x,
                              call.channels_last
                                  ? (image * call.InputPixels() + pixel) * call.channels + channel
                                  : (image * call.channels + channel) * call.InputPixels() + pixel);
      }
    }
  }
  return pooled;
}

}  // namespace

std::unique_ptr<KernelState> PrepareByteBinaryReference(const KernelQuery& query) {
  if (const std::string_view reason = RefusalOfBounds(query); !reason.empty()) {
    throw Error(ErrorKind::kUnsupported, std::string(reason));
  }
  return std::make_unique<BinaryReference>(query);
}

void RunByteBinaryReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const BinaryReference&>(*args.state);
  const ByteScale a = state.ScaleAt(args, 1, state.a_dtype);
  const ByteScale b = state.ScaleAt(args, 4, state.b_dtype);
  const ByteScale y = state.ScaleAt(args, 6, state.y_dtype);
  const float a_ratio = ScaleRatio(a.scale, y.scale);
  const float b_ratio = ScaleRatio(b.scale, y.scale);
  const float multiplier = Multiplier(a.scale, b.scale, y.scale);
  const ByteBounds bounds = state.bounds.In(y.scale);
  ForEachRun(state.plan, 0, state.plan.count,
             [&](std::int64_t position, const BroadcastPlan::Strides& offsets, std::int64_t count) {
               for (std::int64_t i = 0; i < count; ++i) {
                 const std::int32_t left =
                     StepsAt(a, args.inputs[0], offsets[0] + i * state.plan.inner_stride()[0]);
                 const std::int32_t right =
                     StepsAt(b, args.inputs[3], offsets[1] + i * state.plan.inner_stride()[1]);
                 const float from_a = static_cast<float>(left) * a_ratio;
                 const float from_b = static_cast<float>(right) * b_ratio;
                 const float v = state.multiplies ? static_cast<float>(left * right) * multiplier
                                                  : from_a + from_b;
                 StoreByte(y, args.outputs[0], position + i, bounds.Apply(v));
               }
             });
}

std::unique_ptr<KernelState> PrepareByteConcatReference(const KernelQuery& query) {
  return std::make_unique<ConcatReference>(query);
}

void RunByteConcatReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ConcatReference&>(*args.state);
  const ByteScale y = state.ScaleAt(args, 0, state.y_dtype);
  std::int64_t to = 0;
  for (std::int64_t row = 0; row < state.outer; ++row) {
    for (std::size_t p = 0; p < state.parts.size(); ++p) {
      const ConcatPart& part = state.parts[p];
      const ByteScale x = state.ScaleAt(args, 3 * p + 3, part.dtype);
      const float ratio = ScaleRatio(x.scale, y.scale);
      for (std::int64_t i = 0; i < part.elements; ++i, ++to) {
        const std::int32_t steps = StepsAt(x, args.inputs[3 * p + 2], row * part.elements + i);
        StoreByte(y, args.outputs[0], to, static_cast<float>(steps) * ratio);
      }
    }
  }
}

PoolCall BytePoolCallOf(const KernelQuery& query) {
  KernelQuery plain{.op = query.op == OpKind::kQLinearAveragePool ? OpKind::kAveragePool
                                                                  : OpKind::kGlobalAveragePool,
                    .attributes = query.attributes,
                    .layout = query.layout};
  plain.inputs = {query.Input(0)};
  plain.outputs = query.outputs;
  return PoolCallOf(plain);
}

std::unique_ptr<KernelState> PrepareBytePoolReference(const KernelQuery& query) {
  return std::make_unique<BytePoolReference>(query);
}

void RunBytePoolReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const BytePoolReference&>(*args.state);
  const PoolCall& call = state.call;
  const ByteScale x = state.ScaleAt(args, 1, state.x_dtype);
  const ByteScale y = state.ScaleAt(args, 3, state.y_dtype);
  const std::int64_t pixels = call.OutputPixels();
  for (std::int64_t out = 0; out < call.planes() * pixels; ++out) {
    const std::int64_t image = out / (call.channels * pixels);
    const std::int64_t in_image = out % (call.channels * pixels);
    const std::int64_t channel = call.channels_last ? in_image % call.channels : in_image / pixels;
    const std::int64_t pixel = call.channels_last ? in_image / call.channels : in_image % pixels;
    const PooledSum pooled =
        SumAt(call, x, args.inputs[0], image, channel,
              {pixel / (call.output[1] * call.output[2]), pixel / call.output[2] % call.output[1],
               pixel % call.output[2]});
    StoreByte(y, args.outputs[0], out,
              static_cast<float>(Wrapped(pooled.sum)) *
                  AverageMultiplier(x.scale, y.scale, pooled.count));
  }
}

std::unique_ptr<KernelState> PrepareByteResizeReference(const KernelQuery& query) {
  return std::make_unique<ByteResizeReference>(query);
}

void RunByteResizeReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ByteResizeReference&>(*args.state);
  const SeparableTaps& taps = state.taps;
  const ByteScale x = state.ScaleAt(args, 1, state.x_dtype);
  const ByteScale y = state.ScaleAt(args, 3, state.y_dtype);
  const float ratio = ScaleRatio(x.scale, y.scale);
  const std::int64_t row = taps.columns() * taps.inner;
  for (std::int64_t out = 0; out < taps.outer * taps.rows() * row; ++out) {
    const std::int64_t column = out % row / taps.inner;
    const std::int64_t plane = out / row / taps.rows();
    float sum = 0;
    for (int k = 0; k < taps.horizontal.width; ++k) {
      const auto tap = static_cast<std::size_t>(column * taps.horizontal.width + k);
      const float term =
          taps.horizontal.weight[tap] *
          BlendedAt(taps, x, args.inputs[0],
                    {plane, out / row % taps.rows(), taps.horizontal.index[tap], out % taps.inner});
      sum = k == 0 ? term : sum + term;
    }
    StoreByte(y, args.outputs[0], out, sum * ratio);
  }
}

std::unique_ptr<KernelState> PrepareByteLookupReference(const KernelQuery& query) {
  return std::make_unique<LookupReference>(query);
}

void RunByteLookupReference(const KernelArgs& args) noexcept {
  const LookupExtents& extents = static_cast<const LookupReference&>(*args.state).extents;
  const auto* x = static_cast<const std::uint8_t*>(args.inputs[0]);
  const auto* tables = static_cast<const std::uint8_t*>(args.inputs[1]);
  auto* y = static_cast<std::uint8_t*>(args.outputs[0]);
  for (std::int64_t i = 0; i < extents.outer * extents.tables * extents.inner; ++i) {
    y[i] = tables[i / extents.inner % extents.tables * 256 + x[i]];
  }
}

}  // namespace halftone
