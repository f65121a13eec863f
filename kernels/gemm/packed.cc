#include "kernels/gemm/packed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/gemm/chunks.h"
#include "kernels/gemm/half_rows.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/gemm/pack_panels.h"
#include "kernels/gemm/panel_block.h"
#include "kernels/gemm/rows_apart.h"
#include "kernels/gemm/tile_output.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

// Row tiles that pass over a block of panels before the next block of k: their sums wait in the L2.
constexpr std::int64_t kBlockTiles = 20;
constexpr std::int64_t kTileABytes = kTileRows * (kBlockSteps + 16) * 4;
constexpr std::int64_t kAlignment = 64;

constexpr std::int64_t RoundUp(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

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

  // None where there are no batches.
  [[nodiscard]] std::int64_t matrices() const {
    return call.b_shared ? std::min<std::int64_t>(1, call.batches()) : call.batches();
  }

  [[nodiscard]] std::int64_t row_tiles() const { return (call.m + kTileRows - 1) / kTileRows; }

  // Panels that one call of the tile passes over: a single row goes through several, because
  // calling takes as long as a panel of a hundred steps.
  [[nodiscard]] std::int64_t panels_at_once() const { return call.m == 1 ? kTileRows : 1; }

  // Of a row of A where it lies.
  [[nodiscard]] std::int64_t step_bytes_of_a() const {
    return ElementsPerStep(layout.format) * static_cast<std::int64_t>(SizeOf(call.dtype));
  }

  // Of a chunk's scratch: a tile of A, sums, widened panels.
  [[nodiscard]] std::int64_t panel_block_offset() const {
    const std::int64_t sums = blocks.count() == 1 ? 1 : kBlockTiles * kBlockPanels;
    return kTileABytes + sums * kTileElements * static_cast<std::int64_t>(sizeof(float));
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
  return fmt::format("panels {} {}x{} of strides {} {}", static_cast<int>(state.layout.format),
                     call.k, call.n, call.b_step, call.b_column);
}

// What one run() works with.
struct Run {
  const PackedState& state;
  const std::byte* a;
  const std::byte* b;  // packed
  const float* bias;
  const void* residual;
  std::byte* y;
  std::byte* chunk_scratch;
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

// Copies rows [row, row + rows) and steps of `block` of A to `target` in the words of the format.
void CopyTileA(const MatrixCall& call, const PackedState& state, const std::byte* source,
               std::int64_t block, int rows, std::byte* target) {
  const std::int64_t unit = ElementsPerStep(state.layout.format);
  const std::int64_t first = state.blocks.begin(block) * unit;
  const std::int64_t count = std::min(state.blocks.size(block) * unit, call.k - first);
  const std::int64_t stride = TileRowStride(state.blocks.size(block)) * 4;
  const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
  const bool pairs = state.layout.format == TileFormat::kPairs;
  source += first * call.a_step * element;
  if (call.a_step != 1) {
    CopyRowsApart({.dtype = call.dtype,
                   .data = source,
                   .row_stride = call.a_row,
                   .step_stride = call.a_step,
                   .rows = rows,
                   .count = count},
                  pairs, stride, target);
  }
  for (int i = 0; i < rows; ++i) {
    std::byte* to = target + i * stride;
    if (const std::byte* from = source + i * call.a_row * element; call.a_step == 1) {
      pairs ? NarrowRowToBFloat16(call.dtype, from, reinterpret_cast<BFloat16*>(to), count)
            : WidenRow(call.dtype, from, reinterpret_cast<float*>(to), count);
    }
    if (pairs && count % 2 != 0) {  // zero, because the other operand may be infinite
      reinterpret_cast<BFloat16*>(to)[count] = BFloat16{};
    }
  }
}

// The first row of a tile of A.
const std::byte* RowsOfA(const Run& run, std::int64_t batch, std::int64_t tile) {
  const MatrixCall& call = run.state.call;
  return run.a + (call.a_offsets[static_cast<std::size_t>(batch)] + tile * kTileRows * call.a_row) *
                     static_cast<std::int64_t>(SizeOf(call.dtype));
}

// A tile in place where the tile function can read it as it stands; else a copy.
TileA TileAOf(const Run& run, std::int64_t batch, std::int64_t tile, std::int64_t block, int rows,
              std::byte* copy) {
  const PackedState& state = run.state;
  const MatrixCall& call = state.call;
  const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
  const std::byte* source = RowsOfA(run, batch, tile);
  const bool pairs = state.layout.format == TileFormat::kPairs;
  const bool words = pairs
                         ? call.dtype == DType::kBFloat16 && call.a_row % 2 == 0 && call.k % 2 == 0
                         : call.dtype == DType::kFloat32;
  // Rows a multiple of 2 KiB apart fall into two sets of the L1.
  const bool spread = rows <= 4 || call.a_row * element % 2048 != 0;
  if (call.a_step == 1 && words && spread) {
    return {source + state.blocks.begin(block) * 4, call.a_row * element / 4};
  }
  CopyTileA(call, state, source, block, rows, copy);
  return {copy, TileRowStride(state.blocks.size(block))};
}

// Where sums of one call of the tile begin, and how many there are.
struct Place {
  std::int64_t batch;
  std::int64_t tile;
  std::int64_t panel;
  int rows;
  int columns;
};

void StoreProduct(const Run& run, const Place& place, float* sums) {
  const MatrixCall& call = run.state.call;
  const std::int64_t row = place.tile * kTileRows;
  const std::int64_t column = place.panel * kTileColumns;
  TileOutput out{.y = run.y + ((place.batch * call.m + row) * call.n + column) *
                                  static_cast<std::int64_t>(SizeOf(call.result_dtype)),
                 .dtype = call.result_dtype,
                 .row_stride = call.n,
                 .rows = place.rows,
                 .columns = place.columns,
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

// What follows `tile` of A in this block of k, for TileArgs::ahead; null where it is not worth
// fetching or not contiguous.
const std::byte* AheadOf(const Run& run, const Rectangle& part, std::int64_t tile,
                         std::int64_t block) {
  const PackedState& state = run.state;
  if (tile + 1 >= part.last_tile || state.call.a_step != 1) {
    return nullptr;
  }
  return RowsOfA(run, part.batch, tile + 1) + state.blocks.begin(block) * state.step_bytes_of_a();
}

// Row tiles [first, last) by panels [first, last), no more than a block of each.
void MultiplyBlock(const Run& run, const Rectangle& part, std::byte* scratch) {
  const PackedState& state = run.state;
  const MatrixCall& call = state.call;
  auto* sums = reinterpret_cast<float*>(scratch + kTileABytes);
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
    for (std::int64_t tile = part.first_tile; tile < part.last_tile; ++tile) {
      const int rows =
          static_cast<int>(std::min<std::int64_t>(kTileRows, call.m - tile * kTileRows));
      const TileA a = TileAOf(run, part.batch, tile, block, rows, scratch);
      for (std::int64_t panel = part.first_panel; panel < part.last_panel; panel += at_once) {
        const std::int64_t slot =
            blocks == 1 ? 0 : (tile - part.first_tile) * kBlockPanels + panel - part.first_panel;
        float* c = sums + slot * kTileElements;
        const std::int64_t end = std::min(panel + at_once, part.last_panel);
        const Place place{.batch = part.batch,
                          .tile = tile,
                          .panel = panel,
                          .rows = rows,
                          .columns = static_cast<int>(std::min(end * kTileColumns, call.n) -
                                                      panel * kTileColumns)};
        panels.tile({.rows = rows,
                     .columns = place.columns,
                     .steps = state.blocks.size(block),
                     .a = a.data,
                     .lda = a.lda,
                     .b = panels.first + (panel - part.first_panel) * panels.panel_stride,
                     .panel_stride = panels.panel_stride,
                     .ahead = end == part.last_panel ? AheadOf(run, part, tile, block) : nullptr,
                     .ahead_pitch = call.a_row * static_cast<std::int64_t>(SizeOf(call.dtype)),
                     .ahead_element = state.step_bytes_of_a(),
                     .c = c,
                     .accumulate = block > 0});
        if (block + 1 == blocks) {
          StoreProduct(run, place, c);
        }
      }
    }
  }
}

void Multiply(const Run& run, const Rectangle& part, std::byte* scratch) {
  const std::int64_t panels = std::max(kBlockPanels, run.state.panels_at_once());
  for (std::int64_t tile = part.first_tile; tile < part.last_tile; tile += kBlockTiles) {
    for (std::int64_t panel = part.first_panel; panel < part.last_panel; panel += panels) {
      MultiplyBlock(run,
                    {.batch = part.batch,
                     .first_tile = tile,
                     .last_tile = std::min(tile + kBlockTiles, part.last_tile),
                     .first_panel = panel,
                     .last_panel = std::min(panel + panels, part.last_panel)},
                    scratch);
    }
  }
}

// Splits the batch into panels or row tiles, whichever are more, and those between threads.
void MultiplyAll(const Run& run) {
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

}  // namespace

std::unique_ptr<KernelState> PreparePackedGemm(const KernelQuery& query, TileFormat format,
                                               const PackedPlace& b_place) {
  auto state = std::make_unique<PackedState>(query);
  const MatrixCall& call = state->call;
  state->layout = {.format = format, .k = call.k, .n = call.n};
  state->blocks.steps = state->layout.steps();
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
  const Run run{
      .state = state,
      .a = static_cast<const std::byte*>(state.constants.Input(args, 0)),
      .b = state.b_constant ? state.packed_b.data() : b,
      .bias = !call.has_bias        ? nullptr
              : state.bias_constant ? state.bias.data()
                                    : bias,
      .residual = state.constants.Input(args, kResidualOperand),
      .y = static_cast<std::byte*>(args.outputs[0]),
      .chunk_scratch = b + state.b_bytes() + state.bias_bytes(),
  };
  MultiplyAll(run);
}

}  // namespace halftone
