#include "kernels/conv/winograd.h"

#include <algorithm>
#include <vector>

#include "kernels/conv/channels_last.h"
#include "kernels/conv/conv_call.h"
#include "kernels/conv/winograd_filters.h"
#include "kernels/conv/winograd_transforms.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/packed_weights.h"
#include "kernels/tile/half_rows.h"
#include "kernels/tile/tile_output.h"
#include "kernels/tile/tile_pairs.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

// Bytes of the transformed pixels of a group of tiles and the sums of one panel, which stay in an
// L2 of 1 MiB.
constexpr std::int64_t kGroupBytes = std::int64_t{768} * 1024;
constexpr std::int64_t kMostTiles = 96;  // in a group; a multiple of kTileRows
constexpr int kTilesInRun = kTileRows / kWinogradOutput;
constexpr std::int64_t kRowBytes = kTileColumns * static_cast<std::int64_t>(sizeof(float));

// Products saved go with in * out channels, transforms with in + out: of the quotient, and of the
// channels of the input, which are transformed in whole vectors. Of the fastest direct form's time
// (Zen 5, weights in the cache): quotients of 6.9 to 8 1.0 to 2.5, of 12 to 256 0.53 to 0.93; but
// 16 channels to 64 1.2.
constexpr std::int64_t kLeastQuotient = 10;
constexpr std::int64_t kLeastChannels = 24;
// There are 16 weights for 9, which in a network come from memory: with 4x4 to 8x8 pixels it took
// 0.48 to 0.84 of the time with weights in the cache, with 3x3 1.0.
constexpr std::int64_t kLeastPixels = 36;

constexpr std::int64_t RoundUp(std::int64_t value, std::int64_t to) {
  return (value + to - 1) / to * to;
}

struct WinogradState : ConstantsState {
  explicit WinogradState(const KernelQuery& query)
      : ConstantsState(query), call(ConvCallOf(query)) {}

  ConvCall call;
  PanelLayout layout;                  // of one product's weights: input by output channels
  Tensor packed;                       // panel after panel, each with all products
  std::vector<float> bias;             // empty: none
  std::vector<std::uint16_t> padding;  // a pixel of zeros
  int max_chunks = 1;

  [[nodiscard]] std::int64_t tiles_down() const { return (call.output[1] + 1) / kWinogradOutput; }

  [[nodiscard]] std::int64_t tiles_across() const { return (call.output[2] + 1) / kWinogradOutput; }

  [[nodiscard]] std::int64_t tiles() const { return call.batch * tiles_down() * tiles_across(); }

  // Words between the tiles of a product's left operand.
  [[nodiscard]] std::int64_t lda() const { return TileRowStride(layout.steps()); }

  [[nodiscard]] std::int64_t group_tiles() const {
    const std::int64_t bytes = kWinogradProducts * (lda() * 4 + kRowBytes);
    const std::int64_t fit = kGroupBytes / bytes / kTileRows * kTileRows;
    return std::min(std::clamp<std::int64_t>(fit, kTileRows, kMostTiles),
                    RoundUp(std::max<std::int64_t>(tiles(), 1), kTileRows));
  }

  // A line more than the tiles, so that products don't fall into the same sets of the caches.
  [[nodiscard]] std::int64_t pixels_stride() const {  // bytes between products
    return RoundUp(group_tiles() * lda() * 4, 64) + 64;
  }

  [[nodiscard]] std::int64_t sums_stride() const {  // floats between products
    return group_tiles() * kTileColumns + kTileColumns;
  }

  // Regions of a chunk's scratch: transformed pixels, sums, two rows of pixels.
  [[nodiscard]] std::int64_t sums_offset() const { return kWinogradProducts * pixels_stride(); }

  [[nodiscard]] std::int64_t rows_offset() const {
    return sums_offset() + kWinogradProducts * sums_stride() * 4;
  }

  [[nodiscard]] std::int64_t chunk_bytes() const {
    return rows_offset() + std::int64_t{2} * kTileElements * 4;
  }
};

struct WinogradRun {
  const WinogradState& state;
  const std::byte* x;
  const void* residual;
  std::byte* y;
};

// A tile's place in the result.
struct TilePlace {
  std::int64_t image, row, column;  // in tiles
};

TilePlace PlaceOf(const WinogradState& state, std::int64_t tile) {
  const std::int64_t across = state.tiles_across();
  const std::int64_t down = state.tiles_down();
  return {tile / across / down, tile / across % down, tile % across};
}

// Groups of winograd tiles and panels, half open; tiles begin at a multiple of kTileRows.
struct Part {
  std::int64_t first_tile, last_tile;
  std::int64_t first_panel, last_panel;
};

// Finds the pixels of a tile; those outside of the image are zero.
void FindPixels(const WinogradRun& run, const TilePlace& place, WinogradPixels& tile) {
  const ConvCall& call = run.state.call;
  const std::int64_t pixel_bytes = call.in_channels * static_cast<std::int64_t>(SizeOf(call.dtype));
  const std::int64_t top = place.row * kWinogradOutput - call.pad[1];
  const std::int64_t left = place.column * kWinogradOutput - call.pad[2];
  const bool all_inside = top >= 0 && top + kWinogradInput <= call.input[1] && left >= 0 &&
                          left + kWinogradInput <= call.input[2];
  for (std::int64_t i = 0; i < kWinogradInput; ++i) {
    const std::int64_t y = top + i;
    const std::int64_t row = (place.image * call.input[1] + y) * call.input[2];
    for (std::int64_t j = 0; j < kWinogradInput; ++j) {
      const std::int64_t x = left + j;
      const bool inside =
          all_inside || (y >= 0 && y < call.input[1] && x >= 0 && x < call.input[2]);
      tile.pixels[i * kWinogradInput + j] =
          inside ? static_cast<const void*>(run.x + (row + x) * pixel_bytes)
                 : run.state.padding.data();
    }
  }
}

void TransformPixels(const WinogradRun& run, std::int64_t first, std::int64_t last,
                     std::byte* scratch) {
  const WinogradState& state = run.state;
  const ConvCall& call = state.call;
  WinogradPixels tile{
      .dtype = call.dtype, .channels = call.in_channels, .product_stride = state.pixels_stride()};
  for (std::int64_t at = first; at < last; ++at) {
    FindPixels(run, PlaceOf(state, at), tile);
    tile.target = scratch + (at - first) * state.lda() * 4;
    TransformWinogradPixels(tile);
  }
}

// One row of the result's pixels, as many as are there, from the tile at `place` on.
void StorePixels(const WinogradRun& run, const TilePlace& place, std::int64_t y, std::int64_t panel,
                 int tiles, float* sums) {
  const WinogradState& state = run.state;
  const ConvCall& call = state.call;
  if (y >= call.output[1]) {
    return;
  }
  const std::int64_t x = place.column * kWinogradOutput;
  const std::int64_t channel = panel * kTileColumns;
  const std::int64_t pixel = (place.image * call.output[1] + y) * call.output[2] + x;
  std::byte* to = run.y + (pixel * call.out_channels + channel) *
                              static_cast<std::int64_t>(SizeOf(call.result_dtype));
  StoreTile(sums, {.y = to,
                   .dtype = call.result_dtype,
                   .row_stride = call.out_channels,
                   .rows = static_cast<int>(std::min<std::int64_t>(
                       std::int64_t{tiles} * kWinogradOutput, call.output[2] - x)),
                   .columns = static_cast<int>(
                       std::min<std::int64_t>(kTileColumns, call.out_channels - channel)),
                   .bias = state.bias.empty() ? nullptr : state.bias.data() + channel,
                   .bias_row = 0,
                   .bias_per_column = true,
                   .epilogue = &call.epilogue,
                   .slopes = call.epilogue.SlopesFrom(channel),
                   .slopes_per_column = true,
                   .residual = ResidualAt(run.residual, run.y, to)});
}

void StoreSums(const WinogradRun& run, std::int64_t first, std::int64_t last, std::int64_t panel,
               std::byte* scratch) {
  const WinogradState& state = run.state;
  const auto* sums = reinterpret_cast<const float*>(scratch + state.sums_offset());
  auto* upper = reinterpret_cast<float*>(scratch + state.rows_offset());
  float* lower = upper + kTileElements;
  for (std::int64_t at = first; at < last;) {
    const TilePlace place = PlaceOf(state, at);
    const auto tiles = static_cast<int>(
        std::min({std::int64_t{kTilesInRun}, last - at, state.tiles_across() - place.column}));
    TransformWinogradSums({.sums = sums + (at - first) * kTileColumns,
                           .product_stride = state.sums_stride(),
                           .tiles = tiles,
                           .upper = upper,
                           .lower = lower});
    StorePixels(run, place, place.row * kWinogradOutput, panel, tiles, upper);
    StorePixels(run, place, place.row * kWinogradOutput + 1, panel, tiles, lower);
    at += tiles;
  }
}

// The products of one panel with all tiles of the group.
void MultiplyPanel(const WinogradState& state, std::int64_t tiles, std::int64_t panel,
                   std::byte* scratch) {
  auto* sums = reinterpret_cast<float*>(scratch + state.sums_offset());
  const std::byte* weights =
      state.packed.data() + panel * kWinogradProducts * state.layout.panel_bytes();
  for (std::int64_t product = 0; product < kWinogradProducts; ++product) {
    for (std::int64_t tile = 0; tile < tiles; tile += kTileRows) {
      TilePairs({.rows = static_cast<int>(std::min<std::int64_t>(kTileRows, tiles - tile)),
                 .columns = static_cast<int>(
                     std::min<std::int64_t>(kTileColumns, state.layout.n - panel * kTileColumns)),
                 .steps = state.layout.steps(),
                 .a = scratch + product * state.pixels_stride() + tile * state.lda() * 4,
                 .lda = state.lda(),
                 .b = weights + product * state.layout.panel_bytes(),
                 .c = sums + product * state.sums_stride() + tile * kTileColumns});
    }
  }
}

void Multiply(const WinogradRun& run, const Part& part, std::byte* scratch) {
  const std::int64_t group = run.state.group_tiles();
  for (std::int64_t first = part.first_tile; first < part.last_tile; first += group) {
    const std::int64_t last = std::min(first + group, part.last_tile);
    TransformPixels(run, first, last, scratch);
    for (std::int64_t panel = part.first_panel; panel < part.last_panel; ++panel) {
      MultiplyPanel(run.state, last - first, panel, scratch);
      StoreSums(run, first, last, panel, scratch);
    }
  }
}

}  // namespace

std::string_view WinogradConvRefusal(const KernelQuery& query) {
  if (const std::string_view refusal = ChannelsLastRefusal(query); !refusal.empty()) {
    return refusal;
  }
  const ConvCall call = ConvCallOf(query);
  if (call.group != 1) {
    return "there are several groups";
  }
  if (call.kernel != decltype(call.kernel){1, 3, 3} || call.input[0] != 1) {
    return "the window is not 3x3";
  }
  if (call.stride != decltype(call.stride){1, 1, 1} ||
      call.dilation != decltype(call.dilation){1, 1, 1}) {
    return "stride or dilation is above 1";
  }
  return "";
}

std::string_view WinogradConvSlower(const KernelQuery& query) {
  const ConvCall call = ConvCallOf(query);
  const std::int64_t sum = call.in_channels + call.out_channels;
  if (call.in_channels < kLeastChannels ||
      call.in_channels * call.out_channels < kLeastQuotient * sum) {
    return "there are few channels";
  }
  return call.batch * call.OutputPixels() < kLeastPixels ? "there are few pixels" : "";
}

std::unique_ptr<KernelState> PrepareWinogradConv(const KernelQuery& query) {
  auto state = std::make_unique<WinogradState>(query);
  const ConvCall& call = state->call;
  state->layout = {
      .tile = &TileNamed("avx512_bf16"), .k = call.in_channels, .n = call.out_channels};
  state->padding.resize(static_cast<std::size_t>(call.in_channels));
  state->max_chunks = MaxChunks();
  state->packed = PackOnce(
      PlaceOfConstant(query, 1), [] { return std::string("F(2x2, 3x3), panels of pairs"); },
      [&] { return PackWinogradFilters(*query.Constant(1), state->layout); });
  if (call.has_bias) {
    state->bias.resize(static_cast<std::size_t>(call.out_channels));
    WidenRow(call.result_dtype, query.Constant(2)->data(), state->bias.data(), call.out_channels);
  }
  state->constants.Release(1);
  state->constants.Release(2);
  return state;
}

std::size_t WinogradConvScratchBytes(const KernelState& state) {
  const auto& conv = static_cast<const WinogradState&>(state);
  return static_cast<std::size_t>(conv.chunk_bytes() * conv.max_chunks);
}

// Splits by tiles, or by panels where these divide more evenly between the threads: transforming
// the pixels twice costs less than a thread that waits.
void RunWinogradConv(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const WinogradState&>(*args.state);
  const WinogradRun run{.state = state,
                        .x = static_cast<const std::byte*>(state.constants.Input(args, 0)),
                        .residual = state.constants.Input(args, kResidualOperand),
                        .y = static_cast<std::byte*>(args.outputs[0])};
  const std::int64_t row_tiles = (state.tiles() + kTileRows - 1) / kTileRows;
  const std::int64_t panels = state.layout.panels();
  const std::int64_t threads = std::min(ThreadCount(), state.max_chunks);
  // Balance of units of `size` items each, `all` together, as ForEachChunk() distributes them.
  const auto balance = [&](std::int64_t units, std::int64_t size, std::int64_t all) {
    std::int64_t longest = 1;
    for (std::int64_t chunk = 0; chunk < threads; ++chunk) {
      const std::int64_t begin = units * chunk / threads * size;
      longest = std::max(longest, std::min(units * (chunk + 1) / threads * size, all) - begin);
    }
    return static_cast<double>(all) / static_cast<double>(longest * threads);
  };
  const bool by_tile =
      balance(row_tiles, kTileRows, state.tiles()) + 0.1 >= balance(panels, 1, panels);
  const std::int64_t units = by_tile ? row_tiles : panels;
  const double flops = 2.0 * kWinogradProducts * static_cast<double>(state.tiles()) *
                       static_cast<double>(state.layout.k) * static_cast<double>(state.layout.n) /
                       static_cast<double>(std::max<std::int64_t>(units, 1));
  ForEachChunk(units, GrainForFlops(flops), state.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 Multiply(run,
                          by_tile ? Part{begin * kTileRows,
                                         std::min(end * kTileRows, state.tiles()), 0, panels}
                                  : Part{0, state.tiles(), begin, end},
                          args.scratch + chunk * state.chunk_bytes());
               });
}

}  // namespace halftone
