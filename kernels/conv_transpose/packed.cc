#include "kernels/conv_transpose/packed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "kernels/conv_transpose/group_products.h"
#include "kernels/conv_transpose/pixel_block.h"
#include "kernels/elements.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/packed.h"
#include "kernels/tile/half_rows.h"
#include "kernels/tile/tile_output.h"
#include "kernels/transpose/permutation.h"

namespace halftone {
namespace {

// A tap that reaches an output index along one axis, and the input index that it comes from.
struct Tap {
  std::int64_t k = 0;
  std::int64_t source = 0;
};

// Taps that reach an output index o of an axis: taps[first[o]] to taps[first[o + 1]].
struct AxisReach {
  std::vector<std::size_t> first;
  std::vector<Tap> taps;

  [[nodiscard]] std::span<const Tap> At(std::int64_t o) const {
    const auto at = static_cast<std::size_t>(o);
    return {taps.data() + first[at], first[at + 1] - first[at]};
  }
};

AxisReach ReachOf(const ConvTransposeCall& call, std::size_t axis) {
  AxisReach reach;
  for (std::int64_t o = 0; o < call.output[axis]; ++o) {
    reach.first.push_back(reach.taps.size());
    for (std::int64_t k = 0; k < call.kernel[axis]; ++k) {
      if (const std::int64_t source = call.Source(axis, o, k); source >= 0) {
        reach.taps.push_back({k, source});
      }
    }
  }
  reach.first.push_back(reach.taps.size());
  return reach;
}

struct PackedState final : GroupProducts {
  using GroupProducts::GroupProducts;

  std::array<AxisReach, ConvTransposeCall::kAxes> reach;
  std::unique_ptr<Permutation> pixels_first;  // of the input of a group
  std::int64_t transposed_bytes = 0;
  std::int64_t columns_bytes = 0;

  [[nodiscard]] std::int64_t block_bytes() const {
    return 2 * WholeLines(kBlockPixels * call.output_channels * 4);
  }

  // Values of a row of columns.
  [[nodiscard]] std::int64_t width() const { return call.taps() * call.output_channels; }
};

// The weights of a group as [C, taps, M].
Tensor WeightsOf(const ConvTransposeCall& call, const Tensor& weights, std::int64_t group) {
  Tensor result(weights.dtype(), Shape{call.input_channels, call.taps() * call.output_channels});
  VisitElementBytes(SizeOf(weights.dtype()), [&](auto element) {
    using T = decltype(element);
    const T* from = reinterpret_cast<const T*>(weights.data()) +
                    group * call.input_channels * call.output_channels * call.taps();
    T* to = reinterpret_cast<T*>(result.mutable_data());
    const std::int64_t filters = call.input_channels * call.output_channels;
    for (std::int64_t i = 0; i < filters; ++i) {
      const std::int64_t c = i / call.output_channels;
      const std::int64_t m = i % call.output_channels;
      for (std::int64_t k = 0; k < call.taps(); ++k) {
        to[(c * call.taps() + k) * call.output_channels + m] = from[i * call.taps() + k];
      }
    }
  });
  return result;
}

void AddColumn(const float* column, std::int64_t m, float* sums) noexcept {
  for (std::int64_t i = 0; i < m; ++i) {
    sums[i] += column[i];
  }
}

// Adds the columns of all taps that reach an output pixel to `sums`, in the order of the taps.
void AddTaps(const PackedState& s, const float* columns, const ConvTransposeCall::Triple& pixel,
             float* sums) noexcept {
  const ConvTransposeCall& call = s.call;
  const std::int64_t m = call.output_channels;
  const std::int64_t width = s.width();
  for (const Tap& z : s.reach[0].At(pixel[0])) {
    for (const Tap& y : s.reach[1].At(pixel[1])) {
      for (const Tap& x : s.reach[2].At(pixel[2])) {
        const std::int64_t row = (z.source * call.input[1] + y.source) * call.input[2] + x.source;
        const std::int64_t tap = (z.k * call.kernel[1] + y.k) * call.kernel[2] + x.k;
        AddColumn(columns + row * width + tap * m, m, sums);
      }
    }
  }
}

// The pixel after `pixel`.
void Advance(const ConvTransposeCall& call, ConvTransposeCall::Triple& pixel) noexcept {
  for (std::size_t axis = ConvTransposeCall::kAxes; axis-- > 0;) {
    if (++pixel[axis] < call.output[axis]) {
      return;
    }
    pixel[axis] = 0;
  }
}

// Output pixels [begin, end) of one image and group.
void Gather(const PackedState& s, const GroupImage& image, const float* columns, std::int64_t begin,
            std::int64_t end, std::byte* scratch) noexcept {
  const ConvTransposeCall& call = s.call;
  const std::int64_t m = call.output_channels;
  auto* sums = reinterpret_cast<float*>(scratch);
  auto* rows = reinterpret_cast<float*>(scratch + WholeLines(kBlockPixels * m * 4));
  const auto element = static_cast<std::int64_t>(SizeOf(call.result_dtype));
  ConvTransposeCall::Triple pixel{begin / (call.output[1] * call.output[2]),
                                  begin / call.output[2] % call.output[1], begin % call.output[2]};
  for (std::int64_t first = begin; first < end; first += kBlockPixels) {
    const std::int64_t count = std::min(kBlockPixels, end - first);
    for (std::int64_t i = 0; i < count; ++i) {
      float* own = sums + i * m;
      if (image.bias != nullptr) {
        std::memcpy(own, image.bias, static_cast<std::size_t>(m) * sizeof(float));
      } else {
        std::fill(own, own + m, 0.0F);
      }
      AddTaps(s, columns, pixel, own);
      Advance(call, pixel);
    }
    PixelsToRows(DType::kFloat32, scratch, count, m, reinterpret_cast<std::byte*>(rows));
    for (std::int64_t c = 0; c < m; ++c) {
      // A tile output of one row per 32 pixels: the vectorised rounding of the family.
      for (std::int64_t i = 0; i < count; i += kTileColumns) {
        const std::int64_t part = std::min<std::int64_t>(kTileColumns, count - i);
        StoreTile(rows + c * kBlockPixels + i,
                  {.y = image.y + (c * call.output_pixels() + first + i) * element,
                   .dtype = call.result_dtype,
                   .row_stride = part,
                   .rows = 1,
                   .columns = static_cast<int>(part)});
      }
    }
  }
}

}  // namespace

std::string_view PackedConvTransposeRefusal(const KernelQuery& query) {
  if (query.Constant(1) == nullptr) {
    return "weights are not constant";
  }
  if (query.Input(2) != nullptr && query.Constant(2) == nullptr) {
    return "the bias is not constant";
  }
  return query.Input(2) != nullptr && query.Input(2)->dtype != query.outputs.at(0)->dtype
             ? "the bias has another dtype than the result"
             : "";
}

std::unique_ptr<KernelState> PreparePackedConvTranspose(const KernelQuery& query,
                                                        const TileKernel& tile) {
  auto state = std::make_unique<PackedState>(query);
  const ConvTransposeCall& call = state->call;
  for (std::size_t axis = 0; axis < ConvTransposeCall::kAxes; ++axis) {
    state->reach[axis] = ReachOf(call, axis);
  }
  const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
  const TensorType a{call.dtype, {call.input_pixels(), call.input_channels}};
  const TensorType c{DType::kFloat32, {call.input_pixels(), state->width()}};
  const Attributes attributes;
  for (std::int64_t group = 0; group < call.groups; ++group) {
    const Tensor b = WeightsOf(call, *query.Constant(1), group);
    KernelQuery product{.op = OpKind::kGemm, .attributes = &attributes};
    product.inputs = {&a, &b.type()};
    product.constants = {nullptr, &b};
    product.outputs = {&c};
    state->Add(PreparePackedGemm(
        product, tile,
        PlaceOfConstant(
            query, 1, fmt::format("transposed convolution, group {} of {}", group, call.groups))));
  }
  state->transposed_bytes = WholeLines(a.size_bytes());
  state->columns_bytes = WholeLines(c.size_bytes());
  state->pixels_first = std::make_unique<Permutation>(
      PermutationSpec{{call.input_channels, call.input_pixels()}, {1, 0}, element});
  return state;
}

std::size_t PackedConvTransposeScratch(const KernelState& state) {
  const auto& s = static_cast<const PackedState&>(state);
  return static_cast<std::size_t>(s.transposed_bytes + s.columns_bytes + s.product_bytes +
                                  s.block_bytes() * s.max_chunks);
}

void RunPackedConvTranspose(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const PackedState&>(*args.state);
  const ConvTransposeCall& call = s.call;
  std::byte* transposed = args.scratch;
  auto* columns = reinterpret_cast<float*>(transposed + s.transposed_bytes);
  std::byte* product = transposed + s.transposed_bytes + s.columns_bytes;
  std::byte* blocks = product + s.product_bytes;
  s.ForEachImage(args, [&](const GroupImage& image) {
    s.pixels_first->Run(image.x, transposed);
    s.Multiply(image.group, transposed, nullptr, columns, product);
    // About a nanosecond for four sums; blocks begin at whole multiples, whoever takes them.
    const std::int64_t block_work = kBlockPixels * std::max<std::int64_t>(s.width() / 4, 1);
    const std::int64_t count = (call.output_pixels() + kBlockPixels - 1) / kBlockPixels;
    ForEachChunk(count, std::max<std::int64_t>(1, 12'000 / block_work), s.max_chunks,
                 [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                   Gather(s, image, columns, begin * kBlockPixels,
                          std::min(end * kBlockPixels, call.output_pixels()),
                          blocks + chunk * s.block_bytes());
                 });
  });
}

}  // namespace halftone
