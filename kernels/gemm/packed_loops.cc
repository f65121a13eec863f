#include <algorithm>

#include "kernels/gemm/chunks.h"
#include "kernels/gemm/packed_state.h"
#include "kernels/gemm/strided_rows.h"
#include "kernels/tile/half_rows.h"
#include "kernels/tile/tile_output.h"

namespace halftone {
namespace {

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
          .target_pitch = TileRowStride(state.blocks.size(block)) * 4,
          .rows = rows,
          .count = std::min(state.blocks.size(block) * unit, call.k - first)};
}

void CopyTileA(const PackedState& state, const std::byte* source, std::int64_t block, int rows,
               std::byte* target) {
  const MatrixCall& call = state.call;
  const RowBlock copy = RowsOfBlock(state, source, block, rows, target);
  const bool pairs = state.layout.tile->pairs();
  if (call.a_step != 1) {
    CopyStridedRows({.dtype = call.dtype,
                     .data = static_cast<const std::byte*>(copy.source),
                     .row_stride = call.a_row,
                     .step_stride = call.a_step,
                     .rows = rows,
                     .count = copy.count},
                    pairs, copy.target_pitch, target);
  } else if (pairs) {
    NarrowRowsToBFloat16(copy);
  } else {
    WidenRows(copy);
  }
  for (int i = 0; pairs && copy.count % 2 != 0 && i < rows; ++i) {
    // Zero, because the other operand may be infinite.
    reinterpret_cast<BFloat16*>(target + i * copy.target_pitch)[copy.count] = BFloat16{};
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
  const bool words = state.layout.tile->pairs()
                         ? call.dtype == DType::kBFloat16 && call.a_row % 2 == 0 && call.k % 2 == 0
                         : call.dtype == DType::kFloat32;
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
    return {CopyOf(tile), TileRowStride(state.blocks.size(block_))};
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

// Row tiles [first, last) by panels [first, last), no more than a block of each.
// `is_converted`: A is in `scratch`, from a call for other panels.
void MultiplyBlock(const PackedRun& run, const Rectangle& part, std::byte* scratch,
                   bool is_converted) {
  const PackedState& state = run.state;
  const MatrixCall& call = state.call;
  const TileKernel& kernel = *state.layout.tile;
  auto* sums = reinterpret_cast<float*>(scratch + PackedState::kTilesOfA * kernel.a_bytes());
  const std::int64_t blocks = state.blocks.count();
  const std::int64_t at_once = state.panels_at_once();
  const std::int64_t matrix = call.b_shared ? 0 : part.batch;
  const std::byte* b = run.b + matrix * state.layout.size_bytes();
  for (std::int64_t block = 0; block < blocks; ++block) {
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

}  // namespace

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

}  // namespace halftone
