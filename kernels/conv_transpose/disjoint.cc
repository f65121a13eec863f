#include "kernels/conv_transpose/disjoint.h"

#include <algorithm>

#include "kernels/conv_transpose/conv_transpose.h"
#include "kernels/conv_transpose/packed.h"
#include "kernels/elements.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/packed.h"
#include "kernels/gemm/tile_output.h"

namespace halftone {
namespace {

constexpr std::int64_t RoundUp(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

constexpr std::int64_t kRowBytes = kTileElements * 4;

struct DisjointState final : KernelState {
  // Both are constant, and neither is looked at again.
  [[nodiscard]] bool Consumed(std::size_t input) const override { return input == 1 || input == 2; }

  ConvTransposeCall call;
  std::vector<std::unique_ptr<KernelState>> products;  // per group
  std::vector<float> bias;
  std::int64_t columns_bytes = 0;
  std::int64_t product_bytes = 0;
  int max_chunks = 1;
};

bool AreDisjoint(const ConvTransposeCall& call) {
  for (std::size_t axis = 0; axis < ConvTransposeCall::kAxes; ++axis) {
    if (call.kernel[axis] != call.stride[axis] || call.pad[axis] != 0 ||
        (call.dilation[axis] != 1 && call.kernel[axis] != 1) ||
        call.output[axis] != call.input[axis] * call.stride[axis]) {
      return false;
    }
  }
  return call.kernel[2] <= kTileElements;
}

// The weights of a group, [C, M, taps], as [taps, M, C].
Tensor WeightsOf(const ConvTransposeCall& call, const Tensor& weights, std::int64_t group) {
  const std::int64_t filters = call.output_channels * call.taps();
  Tensor result(weights.dtype(), Shape{filters, call.input_channels});
  VisitElementBytes(SizeOf(weights.dtype()), [&](auto element) {
    using T = decltype(element);
    const T* from =
        reinterpret_cast<const T*>(weights.data()) + group * call.input_channels * filters;
    T* to = reinterpret_cast<T*>(result.mutable_data());
    for (std::int64_t i = 0; i < call.input_channels * filters; ++i) {
      const std::int64_t filter = i % filters;
      const std::int64_t tap = filter % call.taps();
      const std::int64_t m = filter / call.taps();
      to[(tap * call.output_channels + m) * call.input_channels + i / filters] = from[i];
    }
  });
  return result;
}

// to[i * taps + k] = rows[k * pitch + i].
void Interleave(const float* rows, std::int64_t pitch, std::int64_t taps, std::int64_t count,
                float* to) noexcept {
  if (taps == 2) {
    const float* second = rows + pitch;
    for (std::int64_t i = 0; i < count; ++i) {
      to[2 * i] = rows[i];
      to[2 * i + 1] = second[i];
    }
    return;
  }
  for (std::int64_t k = 0; k < taps; ++k) {
    for (std::int64_t i = 0; i < count; ++i) {
      to[i * taps + k] = rows[k * pitch + i];
    }
  }
}

// What one image and group has.
struct GroupImage {
  const float* columns;
  const float* bias;  // null: none
  std::byte* y;
};

// Row `row` of the result: of channel m, then of the axes but the last.
void StoreRowOf(const DisjointState& s, const GroupImage& image, std::int64_t row, float* sums) {
  const ConvTransposeCall& call = s.call;
  const std::int64_t rows_of_channel = call.output[0] * call.output[1];
  const std::int64_t m = row / rows_of_channel;
  const std::int64_t z = row % rows_of_channel / call.output[1];
  const std::int64_t y = row % call.output[1];
  const std::int64_t first_tap =
      (z % call.kernel[0] * call.kernel[1] + y % call.kernel[1]) * call.kernel[2];
  const std::int64_t pitch = call.output_channels * call.input_pixels();  // from tap to tap
  const float* columns = image.columns +
                         (first_tap * call.output_channels + m) * call.input_pixels() +
                         (z / call.kernel[0] * call.input[1] + y / call.kernel[1]) * call.input[2];
  const std::int64_t taps = call.kernel[2];
  const std::int64_t at_once = kTileElements / taps;
  for (std::int64_t first = 0; first < call.input[2]; first += at_once) {
    const std::int64_t count = std::min(at_once, call.input[2] - first);
    Interleave(columns + first, pitch, taps, count, sums);
    StoreTile(sums, {.y = image.y + (row * call.output[2] + first * taps) *
                                        static_cast<std::int64_t>(SizeOf(call.result_dtype)),
                     .dtype = call.result_dtype,
                     .row_stride = call.output[2],
                     .rows = 1,
                     .columns = static_cast<int>(count * taps),
                     .bias = image.bias != nullptr ? image.bias + m : nullptr});
  }
}

}  // namespace

std::string_view DisjointConvTransposeRefusal(const KernelQuery& query) {
  const std::string_view refusal = PackedConvTransposeRefusal(query);
  if (!refusal.empty()) {
    return refusal;
  }
  return AreDisjoint(ConvTransposeCallOf(query)) ? "" : "taps overlap or leave gaps";
}

std::unique_ptr<KernelState> PrepareDisjointConvTranspose(const KernelQuery& query,
                                                          TileFormat format) {
  auto state = std::make_unique<DisjointState>();
  ConvTransposeCall& call = state->call;
  call = ConvTransposeCallOf(query);
  state->max_chunks = MaxChunks();
  const TensorType b{call.dtype, {call.input_channels, call.input_pixels()}};
  const TensorType c{DType::kFloat32, {call.taps() * call.output_channels, call.input_pixels()}};
  const Attributes attributes;
  for (std::int64_t group = 0; group < call.groups; ++group) {
    const Tensor a = WeightsOf(call, *query.Constant(1), group);
    KernelQuery product{.op = OpKind::kGemm, .attributes = &attributes};
    product.inputs = {&a.type(), &b};
    product.constants = {&a, nullptr};
    product.outputs = {&c};
    state->products.push_back(PreparePackedGemm(product, format, {}));
    state->product_bytes =
        std::max(state->product_bytes,
                 static_cast<std::int64_t>(PackedGemmScratchBytes(*state->products.back())));
  }
  state->product_bytes = RoundUp(state->product_bytes);
  state->columns_bytes = RoundUp(c.size_bytes());
  if (const Tensor* bias = query.Constant(2); bias != nullptr) {
    for (const double value : DoublesOf(*bias)) {
      state->bias.push_back(static_cast<float>(value));
    }
  }
  return state;
}

std::size_t DisjointConvTransposeScratch(const KernelState& state) {
  const auto& s = static_cast<const DisjointState&>(state);
  return static_cast<std::size_t>(s.columns_bytes + s.product_bytes + kRowBytes * s.max_chunks);
}

void RunDisjointConvTranspose(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const DisjointState&>(*args.state);
  const ConvTransposeCall& call = s.call;
  std::byte* columns = args.scratch;
  std::byte* product = columns + s.columns_bytes;
  std::byte* rows = product + s.product_bytes;
  const std::int64_t input_bytes =
      call.input_channels * call.input_pixels() * static_cast<std::int64_t>(SizeOf(call.dtype));
  const std::int64_t output_bytes = call.output_channels * call.output_pixels() *
                                    static_cast<std::int64_t>(SizeOf(call.result_dtype));
  if (output_bytes == 0) {
    return;
  }
  const std::int64_t count = call.output_channels * call.output[0] * call.output[1];
  for (std::int64_t i = 0; i < call.batch * call.groups; ++i) {
    const std::int64_t group = i % call.groups;
    const void* inputs[] = {nullptr,
                            static_cast<const std::byte*>(args.inputs[0]) + i * input_bytes};
    void* outputs[] = {columns};
    RunPackedGemm({.state = s.products[static_cast<std::size_t>(group)].get(),
                   .inputs = inputs,
                   .outputs = outputs,
                   .scratch = product});
    const GroupImage image{
        .columns = reinterpret_cast<const float*>(columns),
        .bias = s.bias.empty() ? nullptr : s.bias.data() + group * call.output_channels,
        .y = static_cast<std::byte*>(args.outputs[0]) + i * output_bytes};
    // About a nanosecond for four elements.
    ForEachChunk(count, std::max<std::int64_t>(1, 48'000 / call.output[2]), s.max_chunks,
                 [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                   auto* sums = reinterpret_cast<float*>(rows + chunk * kRowBytes);
                   for (std::int64_t row = begin; row < end; ++row) {
                     StoreRowOf(s, image, row, sums);
                   }
                 });
  }
}

}  // namespace halftone
