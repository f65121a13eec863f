#include "kernels/quantized/byte_resize.h"

#include <algorithm>

#include "kernels/parallel.h"
#include "kernels/quantized/byte_resize_loops.h"
#include "kernels/quantized/byte_scale.h"

namespace halftone {
namespace {

// Largest number of rows in flight, each with a part of the scratch: more threads do not help one
// operator.
constexpr std::int64_t kMaxRanges = 16;

// Elements of the result that are worth waking a thread for.
constexpr std::int64_t kGrain = 1 << 16;

// Operand indices behind those of the scales: region, scales and sizes of Resize.
constexpr std::size_t kResizeOperands = 5;

// Resize of the corresponding float operator, as long as `x` lives.
KernelQuery PlainQuery(const KernelQuery& query, const TensorType& x) {
  KernelQuery plain{.op = OpKind::kResize, .attributes = query.attributes, .layout = query.layout};
  plain.inputs = {&x};
  plain.constants = {nullptr};
  for (std::size_t i = kResizeOperands; i < kResizeOperands + 3; ++i) {
    plain.inputs.push_back(query.Input(i));
    plain.constants.push_back(query.Constant(i));
  }
  plain.outputs = query.outputs;
  return plain;
}

std::vector<AxisTaps> TapsOf(const KernelQuery& query) {
  const TensorType x{DType::kFloat32, query.Input(0)->shape};
  return ResizeTaps(PlainQuery(query, x));
}

struct ByteResizeState final : KernelState {
  explicit ByteResizeState(const KernelQuery& query)
      : x_dtype(query.Input(0)->dtype),
        y_dtype(query.outputs.at(0)->dtype),
        taps(ByteResizeTaps(query)),
        columns(taps) {}

  [[nodiscard]] std::int64_t blended_floats() const {
    return taps.source_width * taps.inner + kResizeSpareFloats;
  }

  DType x_dtype, y_dtype;
  SeparableTaps taps;
  ResizeColumns columns;
};

void ResizeRow(const ByteResizeState& state, const ByteSource& x, const ByteTarget& y, float ratio,
               std::int64_t item, float* blended) {
  const SeparableTaps& taps = state.taps;
  const std::int64_t pitch = taps.source_width * taps.inner;
  const std::int64_t row = item % taps.rows();
  const auto tap = static_cast<std::size_t>(row * taps.vertical.width);
  const auto* plane =
      static_cast<const std::uint8_t*>(x.data) + item / taps.rows() * taps.source_height * pitch;
  BlendByteRows({.plane = plane,
                 .pitch = pitch,
                 .rows = taps.vertical.index.data() + tap,
                 .weights = taps.vertical.weight.data() + tap,
                 .taps = taps.vertical.width,
                 .flip = x.flip,
                 .zero = x.zero},
                blended, pitch);
  ByteTarget to = y;
  to.data = static_cast<std::uint8_t*>(y.data) + item * taps.columns() * taps.inner;
  BlendColumns(state.columns, blended, ratio, to);
}

}  // namespace

SeparableTaps ByteResizeTaps(const KernelQuery& query) {
  return SeparableTaps(TapsOf(query));
}

std::string_view ByteResizeReferenceRefusal(const KernelQuery& query) {
  const TensorType x{DType::kFloat32, query.Input(0)->shape};
  if (const std::string_view reason = RefuseResize(PlainQuery(query, x)); !reason.empty()) {
    return reason;
  }
  if (query.attributes->Int("antialias", 0) != 0 ||
      query.attributes->Text("coordinate_transformation_mode", "") == "tf_crop_and_resize") {
    return "serves neither antialias nor tf_crop_and_resize";
  }
  return SeparableTaps::Fits(TapsOf(query)) ? ""
                                            : "serves one or two neighbouring resized axes only";
}

std::string_view ByteResizeRefusal(const KernelQuery& query) {
  if (query.Input(1)->dtype != DType::kFloat32 || query.Input(3)->dtype != DType::kFloat32) {
    return "scales are not float32";
  }
  return ByteResizeReferenceRefusal(query);
}

std::unique_ptr<KernelState> PrepareByteResize(const KernelQuery& query) {
  return std::make_unique<ByteResizeState>(query);
}

std::size_t ByteResizeScratchBytes(const KernelState& state) {
  return static_cast<std::size_t>(kMaxRanges *
                                  static_cast<const ByteResizeState&>(state).blended_floats()) *
         sizeof(float);
}

void RunByteResize(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ByteResizeState&>(*args.state);
  const ByteScale x = ByteScaleAt(args, 1, state.x_dtype);
  const ByteScale y = ByteScaleAt(args, 3, state.y_dtype);
  const ByteSource from = SourceOf(x, args.inputs[0]);
  const ByteTarget to = TargetOf(y, args.outputs[0]);
  const float ratio = ScaleRatio(x.scale, y.scale);
  const std::int64_t items = state.taps.outer * state.taps.rows();
  const std::int64_t elements = items * state.taps.columns() * state.taps.inner;
  const std::int64_t ranges = std::clamp<std::int64_t>(
      elements / kGrain, 1, std::min(kMaxRanges, std::max<std::int64_t>(items, 1)));
  ParallelFor(ranges, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t range = begin; range < end; ++range) {
      float* blended = reinterpret_cast<float*>(args.scratch) + range * state.blended_floats();
      for (std::int64_t item = items * range / ranges; item < items * (range + 1) / ranges;
           ++item) {
        ResizeRow(state, from, to, ratio, item, blended);
      }
    }
  });
}

}  // namespace halftone
