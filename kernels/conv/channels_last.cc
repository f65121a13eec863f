#include "kernels/conv/channels_last.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/conv/conv_call.h"
#include "kernels/conv/pixel_rows.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/packed_weights.h"
#include "kernels/tile/half_rows.h"
#include "kernels/tile/pack_panels.h"
#include "kernels/tile/panel_block.h"
#include "kernels/tile/tile_output.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

// Number of row tiles that pass over a block of panels before the next block of k; their sums stay
// in the L2.
constexpr std::int64_t kBlockTiles = 20;
constexpr std::int64_t kTilesOfA = 2;  // one is converted while the other is multiplied

struct ConvState : ConstantsState {
  explicit ConvState(const KernelQuery& query) : ConstantsState(query), call(ConvCallOf(query)) {}

  ConvCall call;
  PanelLayout layout;  // of one group's weights: k x output channels
  StepBlocks blocks;
  Tensor packed;
  std::vector<float> bias;  // empty: none
  bool dense = false;       // each row of A is one pixel, and they lie side by side
  bool in_place = false;    // as the tile reads them
  int max_chunks = 1;

  [[nodiscard]] std::int64_t pixels() const { return call.batch * call.OutputPixels(); }

  [[nodiscard]] std::int64_t row_tiles() const { return layout.tile->row_tiles(pixels()); }

  // Offset in a chunk's scratch, which holds tiles of A, sums and widened panels.
  [[nodiscard]] std::int64_t panel_block_offset() const {
    const std::int64_t sums = blocks.count() == 1 ? 1 : kBlockTiles * kBlockPanels;
    return kTilesOfA * layout.tile->a_bytes() +
           sums * layout.tile->elements() * static_cast<std::int64_t>(sizeof(float));
  }

  [[nodiscard]] std::int64_t chunk_bytes() const {
    return panel_block_offset() + PanelBlockBytes(layout, blocks);
  }
};

// One group of one run().
struct GroupRun {
  const ConvState& state;
  std::int64_t group;
  PixelRows rows;
  const std::byte* weights;
  std::byte* y;
  const void* residual;
};

// A part of the product: row tiles and panels, half open.
struct Rectangle {
  std::int64_t first_tile, last_tile;
  std::int64_t first_panel, last_panel;
};

struct TileA {
  const void* data;
  std::int64_t lda;  // words
};

// Rows of pixels of one block of k, one tile after the other, each in place or gathered. Where the
// tile function does it, those that lie side by side are converted while the tile before is
// multiplied.
class PixelTiles {
 public:
  PixelTiles(const GroupRun& run, const Rectangle& part, std::int64_t block, std::byte* buffers)
      : run_(run), tile_(*run.state.layout.tile), last_(part.last_tile), buffers_(buffers) {
    const ConvState& state = run.state;
    const std::int64_t unit = tile_.step_elements();
    steps_ = state.blocks.size(block);
    first_ = state.blocks.begin(block) * unit;
    count_ = std::min(steps_ * unit, state.layout.k - first_);
    ahead_ = state.dense && !InPlace(tile_.rows) && count_ == steps_ * unit &&
             count_ >= kLeastAhead && tile_.converts_ahead != nullptr && tile_.converts_ahead();
  }

  TileA At(std::int64_t tile, int rows) {
    if (InPlace(rows)) {
      return {PixelAt(tile), PixelBytes() / 4};
    }
    if (next_of_ != tile) {
      GatherPixelRows(
          run_.rows, {.pixel = tile * tile_.rows, .pixels = rows, .first = first_, .count = count_},
          BufferOf(tile), TileRowStride(steps_) * 4);
    }
    return {BufferOf(tile), TileRowStride(steps_)};
  }

  // TileArgs::next for the call of the tile for `tile`.
  const RowBlock* NextOf(std::int64_t tile) {
    const std::int64_t next = tile + 1;
    if (!ahead_ || next >= last_ || (next + 1) * tile_.rows > run_.state.pixels()) {
      return nullptr;
    }
    next_ = {.from = run_.state.call.dtype,
             .source = PixelAt(next),
             .source_pitch = PixelBytes(),
             .target = BufferOf(next),
             .target_pitch = TileRowStride(steps_) * 4,
             .rows = tile_.rows,
             .count = count_};
    next_of_ = next;
    return &next_;
  }

 private:
  [[nodiscard]] bool InPlace(int rows) const {
    // Rows a multiple of 2 KiB apart fall into two sets of the L1.
    return run_.state.in_place && (rows <= 4 || PixelBytes() % 2048 != 0);
  }

  [[nodiscard]] std::int64_t PixelBytes() const {
    return run_.state.call.in_channels * static_cast<std::int64_t>(SizeOf(run_.state.call.dtype));
  }

  // Address of a dense pixel, from the block's first element on.
  [[nodiscard]] const std::byte* PixelAt(std::int64_t tile) const {
    return run_.rows.x + tile * tile_.rows * PixelBytes() +
           first_ * static_cast<std::int64_t>(SizeOf(run_.state.call.dtype));
  }

  [[nodiscard]] std::byte* BufferOf(std::int64_t tile) const {
    return buffers_ + tile % kTilesOfA * tile_.a_bytes();
  }

  const GroupRun& run_;
  const TileKernel& tile_;
  std::int64_t last_;
  std::byte* buffers_;
  std::int64_t steps_ = 0;
  std::int64_t first_ = 0;  // element of k
  std::int64_t count_ = 0;
  bool ahead_ = false;
  RowBlock next_;
  std::int64_t next_of_ = -1;  // the tile that next_ is
};

void Store(const GroupRun& run, std::int64_t tile, std::int64_t panel, int rows, float* sums) {
  const ConvCall& call = run.state.call;
  const std::int64_t channels = call.group * call.out_channels;
  const TileKernel& kernel = *run.state.layout.tile;
  const std::int64_t channel = run.group * call.out_channels + panel * kernel.columns;
  std::byte* y = run.y + (tile * kernel.rows * channels + channel) *
                             static_cast<std::int64_t>(SizeOf(call.result_dtype));
  StoreTile(sums, {.y = y,
                   .dtype = call.result_dtype,
                   .row_stride = channels,
                   .rows = rows,
                   .columns = kernel.ColumnsAt(panel, call.out_channels),
                   .c_stride = kernel.columns,
                   .bias = run.state.bias.empty() ? nullptr : run.state.bias.data() + channel,
                   .bias_row = 0,
                   .bias_per_column = true,
                   .epilogue = &call.epilogue,
                   .slopes = call.epilogue.SlopesFrom(channel),
                   .slopes_per_column = true,
                   .residual = ResidualAt(run.residual, run.y, y)});
}

// Row tiles and panels of `part` in one block of k.
void MultiplyBlockOfK(const GroupRun& run, const Rectangle& part, std::int64_t block,
                      std::byte* scratch) {
  const ConvState& state = run.state;
  const TileKernel& kernel = *state.layout.tile;
  auto* sums = reinterpret_cast<float*>(scratch + kTilesOfA * kernel.a_bytes());
  const std::int64_t blocks = state.blocks.count();
  const PanelBlock panels = PanelBlockOf({.layout = &state.layout,
                                          .blocks = state.blocks,
                                          .block = block,
                                          .first_panel = part.first_panel,
                                          .last_panel = part.last_panel,
                                          .row_tiles = part.last_tile - part.first_tile,
                                          .packed = run.weights},
                                         scratch + state.panel_block_offset());
  const TileFunction multiply = panels.tile->run;
  PixelTiles tiles(run, part, block, scratch);
  for (std::int64_t tile = part.first_tile; tile < part.last_tile; ++tile) {
    const int rows = kernel.RowsAt(tile, state.pixels());
    const TileA a = tiles.At(tile, rows);
    for (std::int64_t panel = part.first_panel; panel < part.last_panel; ++panel) {
      const std::int64_t slot =
          blocks == 1 ? 0 : (tile - part.first_tile) * kBlockPanels + panel - part.first_panel;
      float* c = sums + slot * kernel.elements();
      multiply({.rows = rows,
                .columns = kernel.ColumnsAt(panel, state.layout.n),
                .steps = state.blocks.size(block),
                .a = a.data,
                .lda = a.lda,
                .b = panels.first + (panel - part.first_panel) * panels.panel_stride,
                .next = panel == part.first_panel ? tiles.NextOf(tile) : nullptr,
                .c = c,
                .c_stride = kernel.columns,
                .accumulate = block > 0});
      if (block + 1 == blocks) {
        Store(run, tile, panel, rows, c);
      }
    }
  }
}

// Row tiles and panels of `part`, no more than a block of each.
void MultiplyBlock(const GroupRun& run, const Rectangle& part, std::byte* scratch) {
  for (std::int64_t block = 0; block < run.state.blocks.count(); ++block) {
    MultiplyBlockOfK(run, part, block, scratch);
  }
}

void Multiply(const GroupRun& run, const Rectangle& part, std::byte* scratch) {
  const std::int64_t panels = BlockPanels(run.state.blocks);
  for (std::int64_t panel = part.first_panel; panel < part.last_panel; panel += panels) {
    for (std::int64_t tile = part.first_tile; tile < part.last_tile; tile += kBlockTiles) {
      MultiplyBlock(run,
                    {.first_tile = tile,
                     .last_tile = std::min(tile + kBlockTiles, part.last_tile),
                     .first_panel = panel,
                     .last_panel = std::min(panel + panels, part.last_panel)},
                    scratch);
    }
  }
}

// Splits each group by row tiles or by panels, whichever divide more evenly.
void MultiplyGroup(const GroupRun& run, std::byte* chunk_scratch) {
  const ConvState& state = run.state;
  const std::int64_t threads = std::min(ThreadCount(), state.max_chunks);
  const auto balance = [&](std::int64_t units) {
    const std::int64_t longest = (units + threads - 1) / threads;
    return static_cast<double>(units) / static_cast<double>(longest * threads);
  };
  const bool by_tile = balance(state.row_tiles()) + 0.05 >= balance(state.layout.panels());
  const std::int64_t units = by_tile ? state.row_tiles() : state.layout.panels();
  const double flops = 2.0 * static_cast<double>(state.pixels()) *
                       static_cast<double>(state.layout.k) * static_cast<double>(state.layout.n) /
                       static_cast<double>(units);
  ForEachChunk(units, GrainForFlops(flops), state.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 Multiply(run,
                          by_tile ? Rectangle{begin, end, 0, state.layout.panels()}
                                  : Rectangle{0, state.row_tiles(), begin, end},
                          chunk_scratch + chunk * state.chunk_bytes());
               });
}

// [O, I, kh, kw] of one group to columns of k = (tap, channel).
Tensor TapsFirst(const ConvCall& call, const Tensor& weights, std::int64_t group) {
  const std::int64_t k = call.in_channels * call.Taps();
  const std::size_t element = SizeOf(weights.dtype());
  Tensor result(weights.dtype(), Shape{call.out_channels, k});
  const std::byte* source =
      weights.data() + static_cast<std::size_t>(group * call.out_channels * k) * element;
  for (std::int64_t o = 0; o < call.out_channels; ++o) {
    for (std::int64_t c = 0; c < call.in_channels; ++c) {
      for (std::int64_t tap = 0; tap < call.Taps(); ++tap) {
        const std::int64_t from = (o * call.in_channels + c) * call.Taps() + tap;
        const std::int64_t to = o * k + tap * call.in_channels + c;
        std::copy_n(source + static_cast<std::size_t>(from) * element, element,
                    result.mutable_data() + static_cast<std::size_t>(to) * element);
      }
    }
  }
  return result;
}

// The weights of all groups.
Tensor PackGroups(const ConvState& state, const Tensor& weights) {
  const ConvCall& call = state.call;
  Tensor packed(DType::kUInt8, Shape{call.group * state.layout.size_bytes()});
  for (std::int64_t group = 0; group < call.group; ++group) {
    const Tensor taps_first = TapsFirst(call, weights, group);
    PackPanels({.dtype = call.dtype,
                .data = taps_first.data(),
                .step_stride = 1,
                .column_stride = state.layout.k},
               state.layout, 0, state.layout.panels(),
               packed.mutable_data() + group * state.layout.size_bytes());
  }
  return packed;
}

bool HasMultipliedType(const ConvCall& call, const TileKernel& tile) {
  return tile.pairs() ? call.dtype == tile.pair_dtype() && call.in_channels % 2 == 0
                      : call.dtype == DType::kFloat32;
}

bool IsDense(const ConvCall& call) {
  return call.group == 1 && call.Taps() == 1 && call.stride[1] == 1 && call.stride[2] == 1 &&
         call.pad[1] == 0 && call.pad[2] == 0 && call.input == call.output;
}

}  // namespace

std::string_view ChannelsLastRefusal(const KernelQuery& query) {
  if (!query.layout.channels_last) {
    return "channels are not last";
  }
  if (query.inputs.at(1)->shape.ElementCount() == 0) {
    return "no weights";
  }
  if (query.Constant(1) == nullptr || (query.Input(2) != nullptr && query.Constant(2) == nullptr)) {
    return "weights or bias are not constant";
  }
  return "";
}

std::string_view ChannelsLastConvRefusal(const KernelQuery& query) {
  const std::string_view refusal = ChannelsLastRefusal(query);
  if (!refusal.empty()) {
    return refusal;
  }
  const std::int64_t group = query.attributes->Int("group", 1);
  if (group > 1 && query.inputs.at(1)->shape[0] / group < kTileColumns / 4) {
    return "too few channels in a group";
  }
  return "";
}

std::unique_ptr<KernelState> PrepareChannelsLastConv(const KernelQuery& query,
                                                     const TileKernel& tile) {
  auto state = std::make_unique<ConvState>(query);
  const ConvCall& call = state->call;
  state->layout = {.tile = &tile, .k = call.in_channels * call.Taps(), .n = call.out_channels};
  state->blocks = state->layout.blocks();
  state->dense = IsDense(call);
  state->in_place = state->dense && HasMultipliedType(call, tile);
  state->max_chunks = MaxChunks();
  state->packed = PackOnce(
      PlaceOfConstant(query, 1),
      [&] { return fmt::format("taps first, {} in {} groups", PanelForm(tile), call.group); },
      [&] { return PackGroups(*state, *query.Constant(1)); });
  if (call.has_bias) {
    state->bias.resize(static_cast<std::size_t>(call.group * call.out_channels));
    WidenRow(call.result_dtype, query.Constant(2)->data(), state->bias.data(),
             call.group * call.out_channels);
  }
  state->constants.Release(1);
  state->constants.Release(2);
  return state;
}

std::size_t ChannelsLastConvScratchBytes(const KernelState& state) {
  const auto& conv = static_cast<const ConvState&>(state);
  return static_cast<std::size_t>(conv.chunk_bytes() * conv.max_chunks);
}

void RunChannelsLastConv(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ConvState&>(*args.state);
  const ConvCall& call = state.call;
  const auto* x = static_cast<const std::byte*>(state.constants.Input(args, 0));
  for (std::int64_t group = 0; group < call.group; ++group) {
    MultiplyGroup(
        {.state = state,
         .group = group,
         .rows = {.call = &call,
                  .x = x + group * call.in_channels * static_cast<std::int64_t>(SizeOf(call.dtype)),
                  .to = state.layout.tile->pairs() ? state.layout.tile->pair_dtype()
                                                   : DType::kFloat32},
         .weights = state.packed.data() + group * state.layout.size_bytes(),
         .y = static_cast<std::byte*>(args.outputs[0]),
         .residual = state.constants.Input(args, kResidualOperand)},
        args.scratch);
  }
}

}  // namespace halftone
