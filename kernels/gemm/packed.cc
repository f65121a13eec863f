#include "kernels/gemm/packed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/gemm/chunks.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/gemm/strided_rows.h"
#include "kernels/parallel.h"
#include "kernels/tile/float_parts.h"
#include "kernels/tile/half_rows.h"
#include "kernels/tile/pack_panels.h"
#include "kernels/tile/panel_block.h"
#include "kernels/tile/tile_kernel.h"
#include "kernels/tile/tile_output.h"
#include "src/ir/fused_operands.h"
#include "src/ir/tensor.h"

namespace halftone {
namespace {

// Number of row tiles that pass over a block of panels before the next block of k; their sums stay
// in the L2.
constexpr std::int64_t kBlockTiles = 20;

struct PackedState : ConstantsState {
  explicit PackedState(const KernelQuery& query)
      : ConstantsState(query), call(MatrixCallOf(query)) {}

  MatrixCall call;
  PanelLayout layout;  // of one matrix B
  StepBlocks blocks;
  Tensor packed_b;  // when B is constant: all distinct matrices
  bool b_constant = false;
  std::vector<float> bias;  // beta * C when C is constant
  bool bias_constant = false;
  int max_chunks = 1;

  // True if the sums are the result unchanged, so that the tile may write them to Y. Not with
  // several blocks of k and rows a multiple of 2 KiB apart: such rows share too few cache sets
  // while they wait.
  [[nodiscard]] bool sums_are_results() const {
    const bool wait_well = blocks.count() == 1 || call.n * 4 % 2048 != 0;
    return layout.tile->strided && call.result_dtype == DType::kFloat32 && call.alpha == 1.0F &&
           !call.has_bias && call.epilogue.IsEmpty() && wait_well;
  }

  static constexpr std::int64_t RoundUp(std::int64_t bytes) {
    constexpr std::int64_t kLine = 64;
    return (bytes + kLine - 1) / kLine * kLine;
  }

  // Number of distinct matrices B; 0 without batches.
  [[nodiscard]] std::int64_t matrices() const {
    return call.b_shared ? std::min<std::int64_t>(1, call.batches()) : call.batches();
  }

  [[nodiscard]] std::int64_t row_tiles() const { return layout.tile->row_tiles(call.m); }

  // Panels per call of the tile: a single row passes over several, because a call takes as long as
  // a panel of a hundred steps.
  [[nodiscard]] std::int64_t panels_at_once() const {
    return call.m == 1 && !reads_panels_whole() ? layout.tile->rows : 1;
  }

  // True if all blocks of k of a panel come before the next panel: few rows wait for B, and memory
  // is fastest in long streams. Time relative to several panels for each block, Zen 5
  // (halftone_bench, medians of 5 pairs): weights from memory, 4 and 8 rows, float32 0.83 and 0.78,
  // widened 16 bits 0.80 to 0.87, dot units 0.95 to 1.02; in the cache 0.94 to 1.00. One row,
  // widened 16 bits 0.79 to 0.92 (once 1.02), in the cache 1.00 to 1.06; other formats gain nothing
  // and lose up to 1.16 there.
  [[nodiscard]] bool reads_panels_whole() const {
    return blocks.count() > 1 && call.m <= layout.tile->rows &&
           (call.m > 1 || layout.tile->widens());
  }

  // True if the converted rows of A of all blocks then fit side by side, so that they are converted
  // once for all panels.
  [[nodiscard]] bool keeps_rows() const {
    return reads_panels_whole() &&
           kept_rows_at(blocks.count()) <= kTilesOfA * layout.tile->a_bytes();
  }

  // Offset in bytes of the converted rows of `block`: rows take TileRowStride(), at most 16 words
  // more than their steps.
  [[nodiscard]] std::int64_t kept_rows_at(std::int64_t block) const {
    return call.m * (blocks.begin(block) * layout.tile->step_words() + 16 * block) * 4;
  }

  // Words between the copied rows of A of a block.
  [[nodiscard]] std::int64_t lda_of_copies(std::int64_t block) const {
    return TileRowStride(blocks.size(block) * layout.tile->step_words());
  }

  // Bytes of one step in a row of A as stored.
  [[nodiscard]] std::int64_t step_bytes_of_a() const {
    return layout.tile->step_elements() * static_cast<std::int64_t>(SizeOf(call.dtype));
  }

  // Tiles of A per chunk: where they are converted, one while another is multiplied.
  static constexpr std::int64_t kTilesOfA = 2;

  // Offset in a chunk's scratch, which holds tiles of A, sums and widened panels.
  [[nodiscard]] std::int64_t panel_block_offset() const {
    const std::int64_t sums = blocks.count() == 1 ? 1 : kBlockTiles * kBlockPanels;
    return kTilesOfA * layout.tile->a_bytes() +
           sums * layout.tile->elements() * static_cast<std::int64_t>(sizeof(float));
  }

  [[nodiscard]] std::int64_t chunk_bytes() const {
    return panel_block_offset() + PanelBlockBytes(layout, blocks);
  }

  [[nodiscard]] std::int64_t bias_bytes() const {
    return call.has_bias && !bias_constant
               ? RoundUp(call.bias_elements * static_cast<std::int64_t>(sizeof(float)))
               : 0;
  }

  [[nodiscard]] std::int64_t b_bytes() const {
    return b_constant ? 0 : RoundUp(layout.size_bytes() * matrices());
  }
};

// Arguments of one run().
struct PackedRun {
  const PackedState& state;
  const std::byte* a;
  const std::byte* b;  // packed
  const float* bias;
  const void* residual;
  std::byte* y;
  std::byte* chunk_scratch;
  bool sums_are_results;
};

// A part of one matrix product: row tiles and panels, half open.
struct Rectangle {
  std::int64_t batch;
  std::int64_t first_tile, last_tile;
  std::int64_t first_panel, last_panel;
};

struct TileA {
  const void* data;
  std::int64_t lda;  // words
};

// `rows` rows from `source` on, steps of `block`, to `target` in the words of the format.
RowBlock RowsOfBlock(const PackedState& state, const std::byte* source, std::int64_t block,
                     int rows, std::byte* target) {
  const MatrixCall& call = state.call;
  const std::int64_t unit = state.layout.tile->step_elements();
  const std::int64_t first = state.blocks.begin(block) * unit;
  const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
  return {.from = call.dtype,
          .source = source + first * call.a_step * element,
          .source_pitch = call.a_row * element,
          .target = target,
          .target_pitch = state.lda_of_copies(block) * 4,
          .rows = rows,
          .count = std::min(state.blocks.size(block) * unit, call.k - first)};
}

void CopyTileA(const PackedState& state, const std::byte* source, std::int64_t block, int rows,
               std::byte* target) {
  const MatrixCall& call = state.call;
  const RowBlock copy = RowsOfBlock(state, source, block, rows, target);
  const TileKernel& tile = *state.layout.tile;
  if (tile.in_parts()) {
    SplitRows({.data = static_cast<const std::byte*>(copy.source),
               .row_stride = call.a_row,
               .step_stride = call.a_step,
               .rows = rows,
               .count = copy.count},
              tile.parts, copy.target_pitch, target);
  } else if (call.a_step != 1) {
    CopyStridedRows({.dtype = call.dtype,
                     .data = static_cast<const std::byte*>(copy.source),
                     .row_stride = call.a_row,
                     .step_stride = call.a_step,
                     .rows = rows,
                     .count = copy.count},
                    tile.pairs() ? tile.pair_dtype() : DType::kFloat32, copy.target_pitch, target);
  } else if (tile.pairs()) {
    NarrowRowsTo(tile.pair_dtype(), copy);
  } else {
    WidenRows(copy);
  }
  for (int i = 0; tile.pairs() && copy.count % 2 != 0 && i < rows; ++i) {
    // Zero, because the other operand may be infinite.
    reinterpret_cast<std::uint16_t*>(target + i * copy.target_pitch)[copy.count] = 0;
  }
}

// The first row of a tile of A.
const std::byte* RowsOfA(const PackedRun& run, std::int64_t batch, std::int64_t tile) {
  const MatrixCall& call = run.state.call;
  return run.a + (call.a_offsets[static_cast<std::size_t>(batch)] +
                  tile * run.state.layout.tile->rows * call.a_row) *
                     static_cast<std::int64_t>(SizeOf(call.dtype));
}

// Whether the tile function can read `rows` rows of A as they stand.
bool ReadsInPlace(const PackedState& state, int rows) {
  const MatrixCall& call = state.call;
  const TileKernel& tile = *state.layout.tile;
  const bool words = tile.pairs()
                         ? call.dtype == tile.pair_dtype() && call.a_row % 2 == 0 && call.k % 2 == 0
                         : tile.storage == TileStorage::kFloat32;
  // Rows a multiple of 2 KiB apart fall into two sets of the L1.
  const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
  const bool spread = rows <= 4 || call.a_row * element % 2048 != 0;
  return call.a_step == 1 && words && spread;
}

// The tiles of A of one block of k, one after the other, each in place or copied. Where the tile
// function does it, the next one is copied while the one before is multiplied.
class TilesOfA {
 public:
  TilesOfA(const PackedRun& run, const Rectangle& part, std::int64_t block, std::byte* copies,
           bool is_converted)
      : run_(run), part_(part), block_(block), copies_(copies), is_converted_(is_converted) {
    const PackedState& state = run.state;
    const std::int64_t unit = state.layout.tile->step_elements();
    const bool whole = state.blocks.begin(block + 1) * unit <= state.call.k;
    const TileKernel& tile = *state.layout.tile;
    copies_ahead_ = state.call.a_step == 1 && !ReadsInPlace(state, tile.rows) && whole &&
                    state.blocks.size(block) * unit >= kLeastAhead &&
                    tile.converts_ahead != nullptr && tile.converts_ahead();
  }

  TileA At(std::int64_t tile, int rows) {
    const PackedState& state = run_.state;
    const std::byte* source = RowsOfA(run_, part_.batch, tile);
    if (ReadsInPlace(state, rows)) {
      return {source + state.blocks.begin(block_) * 4,
              state.call.a_row * static_cast<std::int64_t>(SizeOf(state.call.dtype)) / 4};
    }
    if (next_of_ != tile && !is_converted_) {
      CopyTileA(state, source, block_, rows, CopyOf(tile));
    }
    return {CopyOf(tile), state.lda_of_copies(block_)};
  }

  // TileArgs::next for the call of the tile for `tile`.
  const RowBlock* NextOf(std::int64_t tile) {
    const std::int64_t next = tile + 1;
    const int rows = run_.state.layout.tile->rows;
    if (!copies_ahead_ || next >= part_.last_tile || (next + 1) * rows > run_.state.call.m) {
      return nullptr;
    }
    next_ = RowsOfBlock(run_.state, RowsOfA(run_, part_.batch, next), block_, rows, CopyOf(next));
    next_of_ = next;
    return &next_;
  }

  // TileArgs::ahead: the next data to read from A as stored; null where it is not worth a prefetch
  // or not contiguous.
  [[nodiscard]] const std::byte* AheadOf(std::int64_t tile) const {
    const PackedState& state = run_.state;
    const std::int64_t next = tile + (copies_ahead_ ? 2 : 1);
    if (next >= part_.last_tile || state.call.a_step != 1) {
      return nullptr;
    }
    return RowsOfA(run_, part_.batch, next) + state.blocks.begin(block_) * state.step_bytes_of_a();
  }

 private:
  [[nodiscard]] std::byte* CopyOf(std::int64_t tile) const {
    const PackedState& state = run_.state;
    return copies_ + (state.keeps_rows()
                          ? state.kept_rows_at(block_)
                          : tile % PackedState::kTilesOfA * state.layout.tile->a_bytes());
  }

  const PackedRun& run_;
  const Rectangle& part_;
  std::int64_t block_;
  std::byte* copies_;
  bool is_converted_;
  bool copies_ahead_;
  RowBlock next_;
  std::int64_t next_of_ = -1;  // the tile that next_ is
};

// Begin and number of the sums of one call of the tile.
struct Place {
  std::int64_t batch;
  std::int64_t tile;
  std::int64_t panel;
  int rows;
  int columns;
};

std::byte* ResultAt(const PackedRun& run, const Place& place) {
  const MatrixCall& call = run.state.call;
  const TileKernel& tile = *run.state.layout.tile;
  const std::int64_t row = place.batch * call.m + place.tile * tile.rows;
  return run.y + (row * call.n + place.panel * tile.columns) *
                     static_cast<std::int64_t>(SizeOf(call.result_dtype));
}

void StoreProduct(const PackedRun& run, const Place& place, float* sums) {
  const MatrixCall& call = run.state.call;
  const TileKernel& tile = *run.state.layout.tile;
  const std::int64_t row = place.tile * tile.rows;
  const std::int64_t column = place.panel * tile.columns;
  TileOutput out{.y = ResultAt(run, place),
                 .dtype = call.result_dtype,
                 .row_stride = call.n,
                 .rows = place.rows,
                 .columns = place.columns,
                 .c_stride = tile.columns,
                 .alpha = call.alpha,
                 .epilogue = &call.epilogue,
                 .slopes = call.epilogue.SlopesFrom(column),
                 .slopes_per_column = true};
  out.residual = ResidualAt(run.residual, run.y, out.y);
  if (run.bias != nullptr) {
    out.bias = run.bias + row * call.bias_row + column * call.bias_column;
    out.bias_row = call.bias_row;
    out.bias_per_column = call.bias_column != 0;
  }
  StoreTile(sums, out);
}

// Row tiles and panels of `part` in one block of k.
void MultiplyBlockOfK(const PackedRun& run, const Rectangle& part, std::int64_t block,
                      std::byte* scratch, bool is_converted) {
  const PackedState& state = run.state;
  const MatrixCall& call = state.call;
  const TileKernel& kernel = *state.layout.tile;
  auto* sums = reinterpret_cast<float*>(scratch + PackedState::kTilesOfA * kernel.a_bytes());
  const std::int64_t blocks = state.blocks.count();
  const std::int64_t at_once = state.panels_at_once();
  const std::int64_t matrix = call.b_shared ? 0 : part.batch;
  const std::byte* b = run.b + matrix * state.layout.size_bytes();
  const PanelBlock panels = PanelBlockOf({.layout = &state.layout,
                                          .blocks = state.blocks,
                                          .block = block,
                                          .first_panel = part.first_panel,
                                          .last_panel = part.last_panel,
                                          .row_tiles = part.last_tile - part.first_tile,
                                          .packed = b},
                                         scratch + state.panel_block_offset());
  const TileFunction multiply = panels.tile->run;
  TilesOfA tiles(run, part, block, scratch, is_converted);
  for (std::int64_t tile = part.first_tile; tile < part.last_tile; ++tile) {
    const int rows = kernel.RowsAt(tile, call.m);
    const TileA a = tiles.At(tile, rows);
    for (std::int64_t panel = part.first_panel; panel < part.last_panel; panel += at_once) {
      const std::int64_t slot =
          blocks == 1 ? 0 : (tile - part.first_tile) * kBlockPanels + panel - part.first_panel;
      const std::int64_t end = std::min(panel + at_once, part.last_panel);
      const Place place{.batch = part.batch,
                        .tile = tile,
                        .panel = panel,
                        .rows = rows,
                        .columns = static_cast<int>(std::min(end * kernel.columns, call.n) -
                                                    panel * kernel.columns)};
      const bool in_place = run.sums_are_results && place.columns % kernel.columns == 0;
      float* c = in_place ? reinterpret_cast<float*>(ResultAt(run, place))
                          : sums + slot * kernel.elements();
      multiply({.rows = rows,
                .columns = place.columns,
                .steps = state.blocks.size(block),
                .a = a.data,
                .lda = a.lda,
                .b = panels.first + (panel - part.first_panel) * panels.panel_stride,
                .panel_stride = panels.panel_stride,
                .ahead = end == part.last_panel ? tiles.AheadOf(tile) : nullptr,
                .ahead_pitch = call.a_row * static_cast<std::int64_t>(SizeOf(call.dtype)),
                .ahead_element = state.step_bytes_of_a(),
                .next = panel == part.first_panel ? tiles.NextOf(tile) : nullptr,
                .c = c,
                .c_stride = in_place ? call.n : kernel.columns,
                .accumulate = block > 0});
      if (block + 1 == blocks && !in_place) {
        StoreProduct(run, place, c);
      }
    }
  }
}

// Row tiles [first, last) by panels [first, last), no more than a block of each.
// `is_converted`: A is in `scratch`, from a call for other panels.
void MultiplyBlock(const PackedRun& run, const Rectangle& part, std::byte* scratch,
                   bool is_converted) {
  for (std::int64_t block = 0; block < run.state.blocks.count(); ++block) {
    MultiplyBlockOfK(run, part, block, scratch, is_converted);
  }
}

void Multiply(const PackedRun& run, const Rectangle& part, std::byte* scratch) {
  const std::int64_t panels =
      run.state.reads_panels_whole()
          ? 1
          : std::max(BlockPanels(run.state.blocks), run.state.panels_at_once());
  for (std::int64_t tile = part.first_tile; tile < part.last_tile; tile += kBlockTiles) {
    for (std::int64_t panel = part.first_panel; panel < part.last_panel; panel += panels) {
      MultiplyBlock(run,
                    {.batch = part.batch,
                     .first_tile = tile,
                     .last_tile = std::min(tile + kBlockTiles, part.last_tile),
                     .first_panel = panel,
                     .last_panel = std::min(panel + panels, part.last_panel)},
                    scratch, run.state.keeps_rows() && panel > part.first_panel);
    }
  }
}

// Splits the batch into panels or row tiles, whichever are more, and these between threads.
void MultiplyAll(const PackedRun& run) noexcept {
  const PackedState& state = run.state;
  const MatrixCall& call = state.call;
  const bool by_panel = state.layout.panels() >= state.row_tiles();
  const std::int64_t units = by_panel ? state.layout.panels() : state.row_tiles();
  if (units == 0) {
    return;
  }
  const auto unit = static_cast<double>(units);
  const double flops = 2.0 * static_cast<double>(call.m) * static_cast<double>(call.n) *
                       static_cast<double>(call.k) / unit;
  // A product of few rows waits for B: 8 flops a byte at 100 GFLOP/s stand for 12 GB/s.
  const double bytes = static_cast<double>(state.layout.size_bytes()) / unit;
  ForEachChunk(call.batches() * units, GrainForFlops(std::max(flops, 8.0 * bytes)),
               state.max_chunks, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 std::byte* scratch = run.chunk_scratch + chunk * state.chunk_bytes();
                 while (begin < end) {
                   const std::int64_t batch = begin / units;
                   const std::int64_t first = begin % units;
                   const std::int64_t last = std::min(units, first + end - begin);
                   Multiply(run,
                            by_panel ? Rectangle{batch, 0, state.row_tiles(), first, last}
                                     : Rectangle{batch, first, last, 0, state.layout.panels()},
                            scratch);
                   begin += last - first;
                 }
               });
}

void ScaleBias(const MatrixCall& call, const void* source, float* target) {
  WidenRow(call.result_dtype, source, target, call.bias_elements);
  if (call.beta != 1.0F) {
    for (std::int64_t i = 0; i < call.bias_elements; ++i) {
      target[i] *= call.beta;
    }
  }
}

StridedMatrix MatrixB(const MatrixCall& call, const void* b, std::int64_t matrix) {
  const auto offset = static_cast<std::size_t>(call.b_offsets[static_cast<std::size_t>(matrix)]);
  return {.dtype = call.dtype,
          .data = static_cast<const std::byte*>(b) + offset * SizeOf(call.dtype),
          .step_stride = call.b_step,
          .column_stride = call.b_column};
}

// All distinct matrices of a constant B.
Tensor PackB(const PackedState& state, const Tensor& b) {
  Tensor packed(DType::kUInt8, Shape{state.layout.size_bytes() * state.matrices()});
  for (std::int64_t matrix = 0; matrix < state.matrices(); ++matrix) {
    PackPanels(MatrixB(state.call, b.data(), matrix), state.layout, 0, state.layout.panels(),
               packed.mutable_data() + matrix * state.layout.size_bytes());
  }
  return packed;
}

std::string FormOfB(const PackedState& state) {
  const MatrixCall& call = state.call;
  return fmt::format("{} {}x{} of strides {} {}", PanelForm(*state.layout.tile), call.k, call.n,
                     call.b_step, call.b_column);
}

}  // namespace

std::unique_ptr<KernelState> PreparePackedGemm(const KernelQuery& query, const TileKernel& tile,
                                               const PackedPlace& b_place) {
  auto state = std::make_unique<PackedState>(query);
  const MatrixCall& call = state->call;
  state->layout = {.tile = &tile, .k = call.k, .n = call.n};
  state->blocks = state->layout.blocks();
  state->max_chunks = MaxChunks();
  if (const Tensor* b = query.Constant(1); b != nullptr) {
    state->b_constant = true;
    // Batches of B that differ are ordered by the shape of the result: those are packed anew.
    state->packed_b = PackOnce(
        call.b_shared ? b_place : PackedPlace{}, [&] { return FormOfB(*state); },
        [&] { return PackB(*state, *b); });
    state->constants.Release(1);
  }
  if (const Tensor* bias = query.Constant(2); call.has_bias && bias != nullptr) {
    state->bias_constant = true;
    state->bias.resize(static_cast<std::size_t>(call.bias_elements));
    ScaleBias(call, bias->data(), state->bias.data());
    state->constants.Release(2);
  }
  return state;
}

std::size_t PackedGemmScratchBytes(const KernelState& state) {
  const auto& packed = static_cast<const PackedState&>(state);
  return static_cast<std::size_t>(packed.b_bytes() + packed.bias_bytes() +
                                  packed.chunk_bytes() * packed.max_chunks);
}

void RunPackedGemm(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const PackedState&>(*args.state);
  const MatrixCall& call = state.call;
  std::byte* b = args.scratch;
  auto* bias = reinterpret_cast<float*>(b + state.b_bytes());
  if (!state.b_constant) {
    const void* source = state.constants.Input(args, 1);
    const std::int64_t panels = state.layout.panels();
    // Packing moves about 10 bytes a nanosecond.
    const std::int64_t grain = 500'000 / std::max<std::int64_t>(state.layout.panel_bytes(), 1);
    ParallelFor(panels * state.matrices(), grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        PackPanels(MatrixB(call, source, i / panels), state.layout, i % panels, i % panels + 1,
                   b + i / panels * state.layout.size_bytes());
      }
    });
  }
  if (call.has_bias && !state.bias_constant) {
    ScaleBias(call, state.constants.Input(args, 2), bias);
  }
  const PackedRun run{
      .state = state,
      .a = static_cast<const std::byte*>(state.constants.Input(args, 0)),
      .b = state.b_constant ? state.packed_b.data() : b,
      .bias = !call.has_bias        ? nullptr
              : state.bias_constant ? state.bias.data()
                                    : bias,
      .residual = state.constants.Input(args, kResidualOperand),
      .y = static_cast<std::byte*>(args.outputs[0]),
      .chunk_scratch = b + state.b_bytes() + state.bias_bytes(),
      .sums_are_results = state.sums_are_results(),
  };
  MultiplyAll(run);
}

}  // namespace halftone
