#include "kernels/quantized/byte_product.h"

#include <algorithm>
#include <optional>

#include "kernels/gemm/chunks.h"
#include "kernels/quantized/rounding.h"

namespace halftone {
namespace {

// Number of row tiles that pass over a block of panels before the next block of k; their sums stay
// in the L2.
constexpr std::int64_t kBlockTiles = 20;
constexpr std::int64_t kAlignment = 64;

constexpr std::int64_t RoundUp(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Scratch of a chunk: a copy of rows of A, sums of rows, tiles of C.
std::int64_t RowSumsOffset(const ByteTileKernel& tile) {
  return RoundUp(tile.a_bytes());
}

std::int64_t SumsOffset(const ByteTileKernel& tile) {
  return RowSumsOffset(tile) +
         RoundUp(kBlockTiles * tile.rows * static_cast<std::int64_t>(sizeof(std::int32_t)));
}

// Row tiles and panels, half open.
struct Rectangle {
  std::int64_t first_tile, last_tile;
  std::int64_t first_panel, last_panel;
};

// Sum of the elements of a row that a block covers.
std::int32_t SumOf(const std::uint8_t* row, std::int64_t count) {
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += row[i];
  }
  return static_cast<std::int32_t>(sum);
}

void AddRowSums(const ByteRowsView& a, int rows, std::int64_t count, bool first,
                std::int32_t* sums) {
  for (int i = 0; i < rows; ++i) {
    const std::int32_t sum = SumOf(a.data + i * a.lda, count);
    sums[i] = first ? sum : Wrapped(std::int64_t{sums[i]} + sum);
  }
}

void Store(const ByteRun& run, std::int64_t tile, std::int64_t panel, int rows,
           const std::int32_t* sums, const std::int32_t* row_sums) {
  const ByteTileKernel& kernel = *run.product->tile;
  const BytePanels& layout = run.product->layout;
  const std::int64_t row = tile * kernel.rows;
  const std::int64_t column = panel * kernel.columns;
  if (run.store != nullptr) {
    return run.store(run.result, {.sums = sums,
                                  .stride = kernel.columns,
                                  .row = row,
                                  .column = column,
                                  .rows = rows,
                                  .columns = layout.ColumnsAt(panel)});
  }
  const ColumnTerms& terms = run.terms;
  const std::int64_t element = row * run.row_stride + column;
  StoreByteTile(sums,
                {.y = run.y + element * static_cast<std::int64_t>(SizeOf(run.dtype)),
                 .dtype = run.dtype,
                 .sums_stride = kernel.columns,
                 .row_stride = run.row_stride,
                 .rows = rows,
                 .columns = layout.ColumnsAt(panel),
                 .offset = terms.offset + column,
                 .b_zero = terms.b_zero != nullptr ? terms.b_zero + column : nullptr,
                 .row_sums = row_sums,
                 .multiplier = terms.multiplier != nullptr ? terms.multiplier + column : nullptr,
                 .y_zero = run.y_zero,
                 .epilogue = Later(run.epilogue, element)});
}

// What the tile itself makes bytes of; y and the terms of columns are those of the whole run.
// Empty: it has to store sums.
std::optional<ByteTileFinish> FinishOf(const ByteRun& run) {
  const bool bytes = kByteDTypes.Has(run.dtype);
  const bool residual = run.epilogue && run.epilogue->place != ResidualPlace::kNone;
  if (run.product->tile->finishes == 0 || run.product->blocks.count() != 1 || !bytes || residual ||
      run.terms.b_zero != nullptr) {
    return std::nullopt;
  }
  const bool is_signed = run.dtype == DType::kInt8;
  const ByteBounds bounds = run.epilogue ? run.epilogue->bounds : ByteBounds();
  return ByteTileFinish{.y = reinterpret_cast<std::uint8_t*>(run.y),
                        .row_stride = run.row_stride,
                        .offset = run.terms.offset,
                        .multiplier = run.terms.multiplier,
                        .zero = run.y_zero + (is_signed ? 128 : 0),
                        .flip = static_cast<std::uint8_t>(is_signed ? 0x80 : 0),
                        .low = bounds.low,
                        .high = bounds.high};
}

// `whole` from a row and a column on.
ByteTileFinish FinishAt(const ByteTileFinish& whole, std::int64_t row, std::int64_t column) {
  ByteTileFinish here = whole;
  here.y += row * whole.row_stride + column;
  here.offset += column;
  here.multiplier += column;
  return here;
}

// Tiles and panels of `part` in one block of k.
void MultiplyBlockOfK(const ByteRun& run, const Rectangle& part, std::int64_t block,
                      const std::optional<ByteTileFinish>& finish, std::byte* scratch) {
  const ByteProduct& product = *run.product;
  const ByteTileKernel& kernel = *product.tile;
  const BytePanels& layout = product.layout;
  auto* buffer = reinterpret_cast<std::uint8_t*>(scratch);
  auto* row_sums = reinterpret_cast<std::int32_t*>(scratch + RowSumsOffset(kernel));
  auto* sums = reinterpret_cast<std::int32_t*>(scratch + SumsOffset(kernel));
  const std::int64_t blocks = product.blocks.count();
  const std::int64_t steps = product.blocks.size(block);
  const std::int64_t first = product.blocks.begin(block) * kBytesPerStep;
  const std::int64_t count = std::min(steps * kBytesPerStep, layout.k - first);
  for (std::int64_t tile = part.first_tile; tile < part.last_tile; ++tile) {
    const int rows =
        static_cast<int>(std::min<std::int64_t>(kernel.rows, run.m - tile * kernel.rows));
    const ByteRowsView a = run.rows({.source = run.source,
                                     .row = tile * kernel.rows,
                                     .rows = rows,
                                     .first = first,
                                     .count = count,
                                     .buffer = buffer,
                                     .stride = TileRowStride(steps) * kBytesPerStep});
    std::int32_t* of_rows = row_sums + (tile - part.first_tile) * kernel.rows;
    if (run.terms.b_zero != nullptr) {
      AddRowSums(a, rows, count, block == 0, of_rows);
    }
    for (std::int64_t panel = part.first_panel; panel < part.last_panel; ++panel) {
      const std::int64_t slot =
          blocks == 1 ? 0 : (tile - part.first_tile) * kBlockPanels + panel - part.first_panel;
      std::int32_t* c = sums + slot * kernel.elements();
      const int columns = layout.ColumnsAt(panel);
      const bool finishes = finish && columns % kernel.finishes == 0;
      const ByteTileFinish here =
          finishes ? FinishAt(*finish, tile * kernel.rows, panel * kernel.columns)
                   : ByteTileFinish();
      kernel.run({.rows = rows,
                  .columns = columns,
                  .steps = steps,
                  .a = a.data,
                  .lda = a.lda,
                  .b = run.b + panel * layout.panel_bytes() + first * layout.columns,
                  .c = c,
                  .accumulate = block > 0,
                  .finish = finishes ? &here : nullptr});
      if (block + 1 == blocks && !finishes) {
        Store(run, tile, panel, rows, c, of_rows);
      }
    }
  }
}

// No more than a block of tiles and of panels.
void MultiplyBlock(const ByteRun& run, const Rectangle& part, std::byte* scratch) {
  const std::optional<ByteTileFinish> finish = FinishOf(run);
  for (std::int64_t block = 0; block < run.product->blocks.count(); ++block) {
    MultiplyBlockOfK(run, part, block, finish, scratch);
  }
}

void Multiply(const ByteRun& run, const Rectangle& part, std::byte* scratch) {
  for (std::int64_t panel = part.first_panel; panel < part.last_panel; panel += kBlockPanels) {
    for (std::int64_t tile = part.first_tile; tile < part.last_tile; tile += kBlockTiles) {
      MultiplyBlock(run,
                    {.first_tile = tile,
                     .last_tile = std::min(tile + kBlockTiles, part.last_tile),
                     .first_panel = panel,
                     .last_panel = std::min(panel + kBlockPanels, part.last_panel)},
                    scratch);
    }
  }
}

}  // namespace

void ComputeColumnTerms(const ColumnOperands& in, const ColumnTerms& out) noexcept {
  for (std::int64_t j = 0; j < in.n; ++j) {
    std::int64_t b_zero = 0;
    if (in.b_zero != nullptr) {
      const std::int64_t at = in.b_zero_per_column ? j : 0;
      b_zero = in.b_unsigned ? static_cast<const std::uint8_t*>(in.b_zero)[at]
                             : static_cast<const std::int8_t*>(in.b_zero)[at];
    }
    b_zero -= in.b_unsigned ? 128 : 0;
    const std::int64_t bias = in.bias != nullptr ? in.bias[j] : 0;
    out.offset[j] = Wrapped(bias - in.a_zero * (in.b_sums[j] - in.k * b_zero));
    if (out.b_zero != nullptr) {
      out.b_zero[j] = static_cast<std::int32_t>(b_zero);
    }
    if (out.multiplier != nullptr) {
      out.multiplier[j] =
          Multiplier(in.a_scale, in.b_scale[in.b_scale_per_column ? j : 0], in.y_scale);
    }
  }
}

ByteProduct::ByteProduct(std::int64_t k, std::int64_t n, const ByteTileKernel& byte_tile)
    : layout{.columns = byte_tile.columns, .k = k, .n = n},
      tile(&byte_tile),
      max_chunks(MaxChunks()) {
  blocks = byte_tile.Blocks(layout.steps());
}

std::int64_t ByteProduct::chunk_bytes() const {
  const std::int64_t slots = blocks.count() == 1 ? 1 : kBlockTiles * kBlockPanels;
  return SumsOffset(*tile) +
         RoundUp(slots * tile->elements() * static_cast<std::int64_t>(sizeof(std::int32_t)));
}

void MultiplyBytes(const ByteRun& run, std::byte* scratch) noexcept {
  const ByteProduct& product = *run.product;
  const std::int64_t tiles = product.tile->row_tiles(run.m);
  const std::int64_t panels = product.layout.panels();
  if (tiles == 0 || panels == 0) {
    return;
  }
  const std::int64_t threads = std::min(ThreadCount(), product.max_chunks);
  const auto balance = [&](std::int64_t units) {
    const std::int64_t longest = (units + threads - 1) / threads;
    return static_cast<double>(units) / static_cast<double>(longest * threads);
  };
  const bool by_tile = run.m > product.tile->rows && balance(tiles) + 0.05 >= balance(panels);
  const std::int64_t units = by_tile ? tiles : panels;
  const auto unit = static_cast<double>(units);
  const double products = 2.0 * static_cast<double>(run.m) * static_cast<double>(product.layout.n) *
                          static_cast<double>(product.layout.k) / unit /
                          product.tile->products_of_float;
  // A product of few rows waits for B: 8 operations a byte at 100 GFLOP/s stand for 12 GB/s.
  const double bytes = 8.0 * static_cast<double>(product.layout.size_bytes()) / unit;
  ForEachChunk(
      units, GrainForFlops(std::max(products, bytes)), product.max_chunks,
      [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
        Multiply(run, by_tile ? Rectangle{begin, end, 0, panels} : Rectangle{0, tiles, begin, end},
                 scratch + chunk * product.chunk_bytes());
      });
}

}  // namespace halftone
