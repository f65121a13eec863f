#include "kernels/conv/implicit_gemm.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/conv/conv_call.h"
#include "kernels/conv/filter_tiles.h"
#include "kernels/conv/pixel_panel.h"
#include "kernels/conv/plane_rows.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/packed_weights.h"
#include "kernels/tile/half_rows.h"
#include "kernels/tile/tile_output.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

// Number of row tiles whose sums are stored between blocks of k: 22 x 12 channels by 6 panels are
// 200 KiB.
constexpr std::int64_t kBlockTiles = 22;
constexpr std::int64_t kAlignment = 64;

constexpr std::int64_t RoundUp(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

struct ConvState : ConstantsState {
  explicit ConvState(const KernelQuery& query) : ConstantsState(query), call(ConvCallOf(query)) {}

  ConvCall call;
  FilterLayout filters;  // of one group
  PlaneLayout planes;
  bool in_place = false;              // the input is read as it is: a 1x1 in the multiplied type
  std::vector<std::int64_t> offsets;  // of each k, a whole number of steps
  const TileKernel* tile = nullptr;   // of filters, once those are widened
  Tensor packed;                      // when the weights are constant
  bool filters_constant = false;
  std::vector<float> bias;  // when it is constant
  bool bias_constant = false;
  int max_chunks = 1;

  [[nodiscard]] std::int64_t element_bytes() const {  // of a laid out plane
    return tile->pairs() ? 2 : 4;
  }

  [[nodiscard]] std::int64_t panels() const { return tile->panels(call.OutputPixels()); }

  [[nodiscard]] std::int64_t planes_bytes() const {
    return in_place ? 0
                    : RoundUp((call.group * call.in_channels * planes.size() + kGatherSlack) *
                              element_bytes());
  }

  [[nodiscard]] std::int64_t filters_bytes() const {
    return filters_constant ? 0 : RoundUp(call.group * filters.size_bytes());
  }

  [[nodiscard]] std::int64_t bias_bytes() const {
    return !call.has_bias || bias_constant ? 0 : RoundUp(call.group * call.out_channels * 4);
  }

  // One panel block of k steps, with the slack that a gather writes behind it.
  [[nodiscard]] std::int64_t panel_bytes() const {
    return std::min(filters.blocks.steps, filters.blocks.most) * tile->step_bytes() +
           2 * kAlignment;
  }

  [[nodiscard]] std::int64_t tiles_at_once() const {
    return filters.blocks.count() == 1 ? std::max<std::int64_t>(filters.tiles(), 1) : kBlockTiles;
  }

  [[nodiscard]] std::int64_t chunk_bytes() const {
    const std::int64_t sums = filters.blocks.count() == 1 ? 1 : kBlockTiles * kBlockPanels;
    return tile->a_bytes() + kBlockPanels * panel_bytes() +
           sums * tile->elements() * static_cast<std::int64_t>(sizeof(float));
  }
};

// One image of one run().
struct Image {
  const ConvState& state;
  const std::byte* planes;  // of group 0
  const std::byte* filters;
  const float* bias;
  std::byte* y;
  const void* residual;
};

struct Rectangle {
  std::int64_t group;
  std::int64_t first_tile, last_tile;
  std::int64_t first_panel, last_panel;
};

// Runs of neighbouring pixels: the rest of an output row, and on while rows follow without a gap.
PixelPanel PanelAt(const ConvState& state, std::int64_t panel) {
  const ConvCall& call = state.call;
  const std::int64_t width = call.output[2];
  const std::int64_t first = panel * state.tile->columns;
  const std::int64_t end = first + state.tile->ColumnsAt(panel, call.OutputPixels());
  PixelPanel result{.columns = state.tile->columns};
  std::int64_t pixel = first;
  std::int32_t column = 0;
  while (pixel < end) {
    const auto count = static_cast<std::int32_t>(std::min(width - pixel % width, end - pixel));
    const std::int64_t row = pixel / width;
    const std::int64_t source = row / call.output[1] * call.stride[0] * state.planes.layer_size() +
                                row % call.output[1] * call.stride[1] * state.planes.row_size() +
                                pixel % width;
    PixelRun* last = result.run_count > 0 ? &result.runs[result.run_count - 1] : nullptr;
    if (last != nullptr && last->source + last->count == source) {
      last->count += count;
    } else {
      result.runs[result.run_count++] = {.source = source, .column = column, .count = count};
    }
    column += count;
    pixel += count;
  }
  return result;
}

void Gather(const Image& image, std::int64_t group, std::int64_t panel, std::int64_t block,
            std::byte* target) {
  const ConvState& state = image.state;
  const StepBlocks& blocks = state.filters.blocks;
  const std::int64_t unit = state.tile->step_elements();
  const PixelPanel runs = PanelAt(state, panel);
  const GatherArgs args{
      .panel = &runs,
      .offsets = state.offsets.data() + blocks.begin(block) * unit,
      .steps = blocks.size(block),
      .planes = image.planes +
                group * state.call.in_channels * state.planes.size() * state.element_bytes(),
      .odd_end = unit == 2 && state.filters.k % 2 != 0 && block + 1 == blocks.count(),
      .exact = state.in_place && panel + 1 == state.panels(),
      .target = target};
  if (unit == 2) {
    GatherPairs(args);
  } else {
    GatherFloats(args);
  }
}

void Store(const Image& image, const Rectangle& part, std::int64_t tile, std::int64_t panel,
           float* sums) {
  const ConvCall& call = image.state.call;
  const std::int64_t pixels = call.OutputPixels();
  const TileKernel& kernel = *image.state.tile;
  const std::int64_t channel = part.group * call.out_channels + tile * kernel.rows;
  const std::int64_t pixel = panel * kernel.columns;
  const auto element = static_cast<std::int64_t>(SizeOf(call.result_dtype));
  std::byte* y = image.y + (channel * pixels + pixel) * element;
  StoreTile(sums, {.y = y,
                   .dtype = call.result_dtype,
                   .row_stride = pixels,
                   .rows = kernel.RowsAt(tile, call.out_channels),
                   .columns = kernel.ColumnsAt(panel, pixels),
                   .c_stride = kernel.columns,
                   .bias = image.bias != nullptr ? image.bias + channel : nullptr,
                   .bias_row = 1,
                   .epilogue = &call.epilogue,
                   .slopes = call.epilogue.SlopesFrom(channel),
                   .residual = ResidualAt(image.residual, image.y, y)});
}

// Tiles and panels of `part` in one block of k.
void MultiplyBlockOfK(const Image& image, const Rectangle& part, std::int64_t block,
                      std::byte* scratch) {
  const ConvState& state = image.state;
  const ConvCall& call = state.call;
  auto* buffer = reinterpret_cast<float*>(scratch);
  const TileKernel& kernel = *state.tile;
  std::byte* panels = scratch + kernel.a_bytes();
  auto* sums = reinterpret_cast<float*>(panels + kBlockPanels * state.panel_bytes());
  const std::byte* filters = image.filters + part.group * state.filters.size_bytes();
  const std::int64_t blocks = state.filters.blocks.count();
  for (std::int64_t panel = part.first_panel; panel < part.last_panel; ++panel) {
    Gather(image, part.group, panel, block,
           panels + (panel - part.first_panel) * state.panel_bytes());
  }
  for (std::int64_t tile = part.first_tile; tile < part.last_tile; ++tile) {
    const FilterBlock a = FilterBlockOf(state.filters, filters, tile, block, buffer);
    for (std::int64_t panel = part.first_panel; panel < part.last_panel; ++panel) {
      const std::int64_t slot =
          blocks == 1 ? 0 : (tile - part.first_tile) * kBlockPanels + panel - part.first_panel;
      float* c = sums + slot * kernel.elements();
      kernel.run({.rows = kernel.RowsAt(tile, call.out_channels),
                  .columns = kernel.ColumnsAt(panel, call.OutputPixels()),
                  .steps = state.filters.blocks.size(block),
                  .a = a.data,
                  .lda = a.lda,
                  .b = panels + (panel - part.first_panel) * state.panel_bytes(),
                  .c = c,
                  .c_stride = kernel.columns,
                  .accumulate = block > 0});
      if (block + 1 == blocks) {
        Store(image, part, tile, panel, c);
      }
    }
  }
}

// No more tiles than tiles_at_once(), no more panels than kBlockPanels.
void MultiplyBlock(const Image& image, const Rectangle& part, std::byte* scratch) {
  for (std::int64_t block = 0; block < image.state.filters.blocks.count(); ++block) {
    MultiplyBlockOfK(image, part, block, scratch);
  }
}

void Multiply(const Image& image, const Rectangle& part, std::byte* scratch) {
  const std::int64_t tiles = image.state.tiles_at_once();
  for (std::int64_t tile = part.first_tile; tile < part.last_tile; tile += tiles) {
    for (std::int64_t panel = part.first_panel; panel < part.last_panel; panel += kBlockPanels) {
      MultiplyBlock(image,
                    {.group = part.group,
                     .first_tile = tile,
                     .last_tile = std::min(tile + tiles, part.last_tile),
                     .first_panel = panel,
                     .last_panel = std::min(panel + kBlockPanels, part.last_panel)},
                    scratch);
    }
  }
}

// Splits by pixels, or by channels where these divide more evenly between the threads: gathering
// twice costs less than a thread that waits.
bool SplitByPanel(const ConvState& state) {
  const std::int64_t threads = std::min(ThreadCount(), state.max_chunks);
  const auto balance = [&](std::int64_t units) {
    const std::int64_t longest = (units * state.call.group + threads - 1) / threads;
    return static_cast<double>(units * state.call.group) / static_cast<double>(longest * threads);
  };
  return balance(state.panels()) + 0.05 >= balance(state.filters.tiles());
}

void MultiplyImage(const Image& image, std::byte* chunk_scratch) {
  const ConvState& state = image.state;
  const bool by_panel = SplitByPanel(state);
  const std::int64_t units = by_panel ? state.panels() : state.filters.tiles();
  const double flops = 2.0 * static_cast<double>(state.call.out_channels) *
                       static_cast<double>(state.filters.k) *
                       static_cast<double>(state.call.OutputPixels()) / static_cast<double>(units);
  ForEachChunk(state.call.group * units, GrainForFlops(flops), state.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 std::byte* scratch = chunk_scratch + chunk * RoundUp(state.chunk_bytes());
                 while (begin < end) {
                   const std::int64_t group = begin / units;
                   const std::int64_t first = begin % units;
                   const std::int64_t last = std::min(units, first + end - begin);
                   Multiply(image,
                            by_panel ? Rectangle{group, 0, state.filters.tiles(), first, last}
                                     : Rectangle{group, first, last, 0, state.panels()},
                            scratch);
                   begin += last - first;
                 }
               });
}

// Lays out all planes of one image.
void LayOutImage(const ConvState& state, const std::byte* x, std::byte* planes) {
  const ConvCall& call = state.call;
  const std::int64_t source_bytes =
      call.InputPixels() * static_cast<std::int64_t>(SizeOf(call.dtype));
  const std::int64_t target_bytes = state.planes.size() * state.element_bytes();
  // Laying out moves about 5 bytes a nanosecond.
  const std::int64_t grain = std::max<std::int64_t>(1, 250'000 / (target_bytes + 1));
  ParallelFor(call.group * call.in_channels, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      LayOutRows({.window = &call,
                  .layout = &state.planes,
                  .source_dtype = call.dtype,
                  .source = x + c * source_bytes,
                  .source_end = x + call.group * call.in_channels * source_bytes,
                  .to = state.tile->pairs() ? state.tile->pair_dtype() : DType::kFloat32,
                  .target = planes + c * target_bytes});
    }
  });
}

void PackAllFilters(const ConvState& state, const void* source, std::byte* target) {
  const std::int64_t group_bytes = state.call.out_channels * state.filters.k *
                                   static_cast<std::int64_t>(SizeOf(state.call.dtype));
  for (std::int64_t group = 0; group < state.call.group; ++group) {
    PackFilters(state.filters, state.call.dtype,
                static_cast<const std::byte*>(source) + group * group_bytes,
                target + group * state.filters.size_bytes());
  }
}

// Offsets of all k = (channel, tap); an odd end of pairs repeats the last.
std::vector<std::int64_t> OffsetsOfAll(const ConvState& state) {
  std::vector<std::int64_t> offsets;
  const std::vector<std::int64_t> taps = TapOffsets(state.call, state.planes);
  for (std::int64_t c = 0; c < state.call.in_channels; ++c) {
    for (const std::int64_t tap : taps) {
      offsets.push_back(c * state.planes.size() + tap);
    }
  }
  if (offsets.size() % 2 != 0) {
    offsets.push_back(offsets.back());
  }
  return offsets;
}

}  // namespace

std::string_view ImplicitGemmRefusal(const KernelQuery& query) {
  if (query.layout.channels_last) {
    return "channels are last";
  }
  if (query.inputs.at(1)->shape.ElementCount() == 0) {
    return "no weights";
  }
  return "";
}

std::unique_ptr<KernelState> PrepareImplicitGemm(const KernelQuery& query, const TileKernel& tile) {
  auto state = std::make_unique<ConvState>(query);
  const ConvCall& call = state->call;
  state->filters = FilterLayoutOf(tile, call.out_channels, call.in_channels * call.Taps());
  state->planes = PlaneLayoutOf(call);
  const bool same_type =
      call.dtype == DType::kFloat32 || (tile.pairs() && call.dtype == tile.pair_dtype());
  state->in_place = same_type && call.Taps() == 1 && IsPlainPlane(call, state->planes);
  state->offsets = OffsetsOfAll(*state);
  // Weights are widened before the product, so that the tile sees floats.
  state->tile = tile.widens() ? WidenedTile(tile) : &tile;
  state->max_chunks = MaxChunks();
  if (const Tensor* weights = query.Constant(1); weights != nullptr) {
    state->filters_constant = true;
    state->packed = PackOnce(
        PlaceOfConstant(query, 1),
        [&] { return fmt::format("filters, {} in {} groups", RowTileForm(tile), call.group); },
        [&] {
          Tensor packed(DType::kUInt8, Shape{call.group * state->filters.size_bytes()});
          PackAllFilters(*state, weights->data(), packed.mutable_data());
          return packed;
        });
    state->constants.Release(1);
  }
  if (const Tensor* bias = query.Constant(2); call.has_bias && bias != nullptr) {
    state->bias_constant = true;
    state->bias.resize(static_cast<std::size_t>(call.group * call.out_channels));
    WidenRow(call.result_dtype, bias->data(), state->bias.data(), call.group * call.out_channels);
    state->constants.Release(2);
  }
  return state;
}

std::size_t ImplicitGemmScratchBytes(const KernelState& state) {
  const auto& conv = static_cast<const ConvState&>(state);
  return static_cast<std::size_t>(conv.planes_bytes() + conv.filters_bytes() + conv.bias_bytes() +
                                  RoundUp(conv.chunk_bytes()) * conv.max_chunks);
}

void RunImplicitGemm(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ConvState&>(*args.state);
  const ConvCall& call = state.call;
  std::byte* planes = args.scratch;
  std::byte* filters = planes + state.planes_bytes();
  auto* bias = reinterpret_cast<float*>(filters + state.filters_bytes());
  std::byte* chunks = filters + state.filters_bytes() + state.bias_bytes();
  if (!state.filters_constant) {
    PackAllFilters(state, state.constants.Input(args, 1), filters);
  }
  const std::int64_t channels = call.group * call.out_channels;
  if (call.has_bias && !state.bias_constant) {
    WidenRow(call.result_dtype, state.constants.Input(args, 2), bias, channels);
  }
  const auto* x = static_cast<const std::byte*>(state.constants.Input(args, 0));
  const std::int64_t x_bytes = call.group * call.in_channels * call.InputPixels() *
                               static_cast<std::int64_t>(SizeOf(call.dtype));
  const std::int64_t y_bytes =
      channels * call.OutputPixels() * static_cast<std::int64_t>(SizeOf(call.result_dtype));
  for (std::int64_t n = 0; n < call.batch; ++n) {
    if (!state.in_place) {
      LayOutImage(state, x + n * x_bytes, planes);
    }
    const float* widened_bias = state.bias_constant ? state.bias.data() : bias;
    std::byte* y = static_cast<std::byte*>(args.outputs[0]) + n * y_bytes;
    MultiplyImage(
        {.state = state,
         .planes = state.in_place ? x + n * x_bytes : planes,
         .filters = state.filters_constant ? state.packed.data() : filters,
         .bias = call.has_bias ? widened_bias : nullptr,
         .y = y,
         .residual = ResidualAt(state.constants.Input(args, kResidualOperand), args.outputs[0], y)},
        chunks);
  }
}

}  // namespace halftone
