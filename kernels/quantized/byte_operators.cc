#include "kernels/quantized/byte_operators.h"

#include <algorithm>

#include "kernels/binary/broadcast.h"
#include "kernels/copy/copy_runs.h"
#include "kernels/parallel.h"
#include "kernels/quantized/byte_loops.h"
#include "kernels/quantized/byte_scale.h"

namespace halftone {
namespace {

// Number of elements that are worth waking a thread for: loops take about 8 a nanosecond, lookups
// more.
constexpr std::int64_t kPairGrain = 200'000;
// Likewise, about one a nanosecond.
constexpr std::int64_t kTablesGrain = 25'000;

constexpr std::int64_t kTableBytes = 256;

// y[i] = table i at x[i].
void LookUpByteOfEach(const std::uint8_t* x, const std::uint8_t* tables, std::uint8_t* y,
                      std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = tables[i * kTableBytes + x[i]];
  }
}

struct ByteBinaryState final : KernelState {
  explicit ByteBinaryState(const KernelQuery& query)
      : multiplies(query.op == OpKind::kQLinearMul),
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

// A whole tensor is `outer` rows; each part holds some bytes of each row.
struct ByteConcatState final : KernelState {
  struct Part {
    DType dtype;
    std::int64_t bytes;   // of a row
    std::int64_t offset;  // within a row of the whole
  };

  DType y_dtype = DType::kUInt8;
  std::int64_t outer = 1;
  std::int64_t row_bytes = 0;
  std::vector<Part> parts;
};

struct ByteLookupState final : KernelState {
  explicit ByteLookupState(const KernelQuery& query) : extents(query) {}

  LookupExtents extents;
};

// Windows by the rows of pixels that they read.
struct BytePoolState final : KernelState {
  explicit BytePoolState(const KernelQuery& query)
      : call(BytePoolCallOf(query)),
        x_dtype(query.Input(0)->dtype),
        y_dtype(query.outputs.at(0)->dtype) {
    for (std::int64_t x = 0; x < call.output[2]; ++x) {
      columns.push_back(TapsAt(call, 2, x));
    }
  }

  PoolCall call;
  DType x_dtype, y_dtype;
  std::vector<TapRange> columns;
};

// Channels of a unit of work.
constexpr std::int64_t kChannelBlock = 256;

bool ScalesAreFloat32(const KernelQuery& query, std::size_t first, std::size_t step) {
  for (std::size_t i = first; i < query.inputs.size(); i += step) {
    if (query.Input(i)->dtype != DType::kFloat32) {
      return false;
    }
  }
  return true;
}

struct PoolScales {
  ByteScale x, y;
};

// `channels` channels from `first` on.
void PoolRow(const BytePoolState& state, const PoolScales& scales, const KernelArgs& args,
             std::int64_t row, std::int64_t first, std::int64_t channels) {
  const PoolCall& call = state.call;
  const auto* x = static_cast<const std::uint8_t*>(args.inputs[0]);
  auto* y = static_cast<std::uint8_t*>(args.outputs[0]);
  const std::int64_t oy = row % call.output[1];
  const std::int64_t image = row / call.output[1];
  const TapRange rows = TapsAt(call, 1, oy);
  const std::int64_t first_row =
      image * call.input[1] + oy * call.stride[1] - call.pad[1] + rows.first * call.dilation[1];
  for (std::int64_t ox = 0; ox < call.output[2]; ++ox) {
    const TapRange& columns = state.columns[static_cast<std::size_t>(ox)];
    const std::int64_t column =
        ox * call.stride[2] - call.pad[2] + columns.first * call.dilation[2];
    AverageByteWindow({.first = x + (first_row * call.input[2] + column) * call.channels + first,
                       .rows = rows.last - rows.first,
                       .columns = columns.last - columns.first,
                       .row_pitch = call.dilation[1] * call.input[2] * call.channels,
                       .column_pitch = call.dilation[2] * call.channels,
                       .x = SourceOf(scales.x, nullptr),
                       .multiplier = AverageMultiplier(scales.x.scale, scales.y.scale,
                                                       rows.counted * columns.counted),
                       .channels = channels},
                      TargetOf(scales.y, y + (row * call.output[2] + ox) * call.channels + first));
  }
}

}  // namespace

std::string_view ByteBinaryRefusal(const KernelQuery& query) {
  if (query.Input(1)->dtype != DType::kFloat32 || query.Input(4)->dtype != DType::kFloat32 ||
      query.Input(6)->dtype != DType::kFloat32) {
    return "scales are not float32";
  }
  return RefusalOfBounds(query);
}

std::unique_ptr<KernelState> PrepareByteBinary(const KernelQuery& query) {
  return std::make_unique<ByteBinaryState>(query);
}

void RunByteBinary(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ByteBinaryState&>(*args.state);
  const ByteScale a = ByteScaleAt(args, 1, state.a_dtype);
  const ByteScale b = ByteScaleAt(args, 4, state.b_dtype);
  const ByteScale y = ByteScaleAt(args, 6, state.y_dtype);
  BytePairs pairs{.a = SourceOf(a, args.inputs[0]),
                  .b = SourceOf(b, args.inputs[3]),
                  .y = TargetOf(y, args.outputs[0]),
                  .a_ratio = ScaleRatio(a.scale, y.scale),
                  .b_ratio = ScaleRatio(b.scale, y.scale),
                  .multiplier = Multiplier(a.scale, b.scale, y.scale)};
  pairs.y.bounds = state.bounds.In(y.scale);
  pairs.a.step = state.plan.inner_stride()[0];
  pairs.b.step = state.plan.inner_stride()[1];
  const auto byte = [](const void* data, std::int64_t index) {
    return static_cast<const std::uint8_t*>(data) + index;
  };
  ParallelFor(state.plan.count, kPairGrain, [&](std::int64_t begin, std::int64_t end) {
    ForEachRun(
        state.plan, begin, end,
        [&](std::int64_t position, const BroadcastPlan::Strides& offsets, std::int64_t count) {
          BytePairs run = pairs;
          run.a.data = byte(args.inputs[0], offsets[0]);
          run.b.data = byte(args.inputs[3], offsets[1]);
          run.y.data = static_cast<std::uint8_t*>(args.outputs[0]) + position;
          run.count = count;
          (state.multiplies ? MultiplyBytePairs : AddBytePairs)(run);
        });
  });
}

std::string_view ByteConcatRefusal(const KernelQuery& query) {
  return ScalesAreFloat32(query, 0, 3) ? "" : "scales are not float32";
}

std::unique_ptr<KernelState> PrepareByteConcat(const KernelQuery& query) {
  const Shape& y = query.outputs.at(0)->shape;
  const int axis = NormalizeAxis(query.attributes->Int("axis", 0), y.rank());
  auto state = std::make_unique<ByteConcatState>();
  state->y_dtype = query.outputs.at(0)->dtype;
  state->outer = y.ElementCount(0, axis);
  for (std::size_t i = 2; i < query.inputs.size(); i += 3) {
    const std::int64_t bytes = query.Input(i)->shape.ElementCount(axis, y.rank());
    state->parts.push_back({query.Input(i)->dtype, bytes, state->row_bytes});
    state->row_bytes += bytes;
  }
  return state;
}

void RunByteConcat(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ByteConcatState&>(*args.state);
  const ByteScale y = ByteScaleAt(args, 0, state.y_dtype);
  auto* whole = static_cast<std::uint8_t*>(args.outputs[0]);
  for (std::size_t p = 0; p < state.parts.size(); ++p) {
    const ByteConcatState::Part& part = state.parts[p];
    const auto* from = static_cast<const std::uint8_t*>(args.inputs[3 * p + 2]);
    const ByteScale x = ByteScaleAt(args, 3 * p + 3, part.dtype);
    const bool same = x.dtype == y.dtype && x.scale == y.scale && x.zero_point == y.zero_point;
    if (same) {
      CopyRuns({.source = reinterpret_cast<const std::byte*>(from),
                .target = reinterpret_cast<std::byte*>(whole) + part.offset,
                .source_stride = part.bytes,
                .target_stride = state.row_bytes,
                .bytes = part.bytes,
                .count = state.outer});
      continue;
    }
    const float ratio = ScaleRatio(x.scale, y.scale);
    // Pieces of rows: a part may be one long row.
    const std::int64_t piece = std::min<std::int64_t>(std::max<std::int64_t>(part.bytes, 1), 16384);
    const std::int64_t pieces = (part.bytes + piece - 1) / piece;
    ParallelFor(state.outer * pieces, kPairGrain / piece + 1,
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t row = i / pieces;
                    const std::int64_t at = i % pieces * piece;
                    RescaleBytes(SourceOf(x, from + row * part.bytes + at),
                                 TargetOf(y, whole + row * state.row_bytes + part.offset + at),
                                 ratio, std::min(piece, part.bytes - at));
                  }
                });
  }
}

std::string_view BytePoolRefusal(const KernelQuery& query) {
  if (!query.layout.channels_last) {
    return "channels are not last";
  }
  if (query.Input(1)->dtype != DType::kFloat32 || query.Input(3)->dtype != DType::kFloat32) {
    return "scales are not float32";
  }
  return query.Input(0)->shape.rank() > 4 ? "serves up to two spatial axes" : "";
}

std::unique_ptr<KernelState> PrepareBytePool(const KernelQuery& query) {
  return std::make_unique<BytePoolState>(query);
}

void RunBytePool(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const BytePoolState&>(*args.state);
  const PoolCall& call = state.call;
  const PoolScales scales{.x = ByteScaleAt(args, 1, state.x_dtype),
                          .y = ByteScaleAt(args, 3, state.y_dtype)};
  const std::int64_t blocks = (call.channels + kChannelBlock - 1) / kChannelBlock;
  const std::int64_t bytes = call.Taps() * std::min(call.channels, kChannelBlock) * call.output[2];
  ParallelFor(call.batch * call.output[1] * blocks,
              kPairGrain / std::max<std::int64_t>(bytes, 1) + 1,
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                  const std::int64_t first = i % blocks * kChannelBlock;
                  PoolRow(state, scales, args, i / blocks, first,
                          std::min(kChannelBlock, call.channels - first));
                }
              });
}

LookupExtents::LookupExtents(const KernelQuery& query) {
  const Shape& x = query.Input(0)->shape;
  if (query.Input(1)->shape.rank() == 1) {
    inner = x.ElementCount();
    return;
  }
  const int axis = NormalizeAxis(query.attributes->Int("axis", 1), x.rank());
  outer = x.ElementCount(0, axis);
  tables = x[axis];
  inner = x.ElementCount(axis + 1, x.rank());
}

std::unique_ptr<KernelState> PrepareByteLookup(const KernelQuery& query) {
  return std::make_unique<ByteLookupState>(query);
}

void RunByteLookup(const KernelArgs& args) noexcept {
  const auto* x = static_cast<const std::uint8_t*>(args.inputs[0]);
  const auto* tables = static_cast<const std::uint8_t*>(args.inputs[1]);
  auto* y = static_cast<std::uint8_t*>(args.outputs[0]);
  const LookupExtents& extents = static_cast<const ByteLookupState&>(*args.state).extents;
  if (extents.tables == 1) {
    ParallelFor(extents.outer * extents.inner, kPairGrain,
                [&](std::int64_t begin, std::int64_t end) {
                  LookUpBytes(x + begin, tables, y + begin, end - begin);
                });
    return;
  }
  const std::int64_t row = extents.tables * extents.inner;
  if (extents.inner == 1) {  // channels last
    ParallelFor(extents.outer, kTablesGrain / std::max<std::int64_t>(row, 1) + 1,
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t i = begin; i < end; ++i) {
                    LookUpByteOfEach(x + i * row, tables, y + i * row, row);
                  }
                });
    return;
  }
  ParallelFor(extents.outer * extents.tables,
              kPairGrain / std::max<std::int64_t>(extents.inner, 1) + 1,
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                  const std::uint8_t* table = tables + i % extents.tables * kTableBytes;
                  LookUpBytes(x + i * extents.inner, table, y + i * extents.inner, extents.inner);
                }
              });
}

}  // namespace halftone
