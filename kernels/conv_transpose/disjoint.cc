#include "kernels/conv_transpose/disjoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/conv_transpose/group_products.h"
#include "kernels/conv_transpose/packed.h"
#include "kernels/elements.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/packed.h"
#include "kernels/packed_weights.h"
#include "kernels/tile/tile_output.h"

namespace halftone {
namespace {

constexpr std::int64_t kRowBytes = std::int64_t{4} * kTileElements;

struct DisjointState final : GroupProducts {
  using GroupProducts::GroupProducts;

  std::int64_t columns_bytes = 0;
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

// to[i * taps + k] = rows[k * pitch + i]. (With InterleaveRows() of kernels/transpose the whole
// takes 1.05 times as long: rows are short.)
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

// Row `row` of the result: of channel m, then of the axes but the last.
void StoreRowOf(const ConvTransposeCall& call, const GroupImage& image, const float* all_columns,
                std::int64_t row, float* sums) {
  const std::int64_t rows_of_channel = call.output[0] * call.output[1];
  const std::int64_t m = row / rows_of_channel;
  const std::int64_t z = row % rows_of_channel / call.output[1];
  const std::int64_t y = row % call.output[1];
  const std::int64_t first_tap =
      (z % call.kernel[0] * call.kernel[1] + y % call.kernel[1]) * call.kernel[2];
  const std::int64_t pitch = call.output_channels * call.input_pixels();  // from tap to tap
  const float* columns = all_columns +
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
                                                          const TileKernel& tile) {
  auto state = std::make_unique<DisjointState>(query);
  const ConvTransposeCall& call = state->call;
  const TensorType b{call.dtype, {call.input_channels, call.input_pixels()}};
  const TensorType c{DType::kFloat32, {call.taps() * call.output_channels, call.input_pixels()}};
  const Attributes attributes;
  for (std::int64_t group = 0; group < call.groups; ++group) {
    const Tensor a = PackOnce(
        PlaceOfConstant(query, 1),
        [&] { return fmt::format("taps, M, C of group {} of {}", group, call.groups); },
        [&] { return WeightsOf(call, *query.Constant(1), group); });
    KernelQuery product{.op = OpKind::kGemm, .attributes = &attributes};
    product.inputs = {&a.type(), &b};
    product.constants = {&a, nullptr};
    product.outputs = {&c};
    state->Add(PreparePackedGemm(product, tile, {}));
  }
  state->columns_bytes = WholeLines(c.size_bytes());
  return state;
}

std::size_t DisjointConvTransposeScratch(const KernelState& state) {
  const auto& s = static_cast<const DisjointState&>(state);
  return static_cast<std::size_t>(s.columns_bytes + s.product_bytes + kRowBytes * s.max_chunks);
}

void RunDisjointConvTranspose(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const DisjointState&>(*args.state);
  const ConvTransposeCall& call = s.call;
  auto* columns = reinterpret_cast<float*>(args.scratch);
  std::byte* product = args.scratch + s.columns_bytes;
  std::byte* rows = product + s.product_bytes;
  const std::int64_t count = call.output_channels * call.output[0] * call.output[1];
  s.ForEachImage(args, [&](const GroupImage& image) {
    s.Multiply(image.group, nullptr, image.x, columns, product);
    // About a nanosecond for four elements.
    ForEachChunk(count, std::max<std::int64_t>(1, 48'000 / call.output[2]), s.max_chunks,
                 [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                   auto* sums = reinterpret_cast<float*>(rows + chunk * kRowBytes);
                   for (std::int64_t row = begin; row < end; ++row) {
                     StoreRowOf(call, image, columns, row, sums);
                   }
                 });
  });
}

}  // namespace halftone
