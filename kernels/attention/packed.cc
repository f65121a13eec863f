#include <algorithm>
#include <array>

#include "kernels/attention/query_tile.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/half_rows.h"
#include "kernels/parallel.h"
#include "kernels/softmax/softmax.h"
#include "kernels/transpose/tile.h"

namespace halftone {
namespace {

// The row of a panel that column `column` of `rows` rows of `words` words begins.
template <typename Word>
void TransposeRows(const Word* from, std::int64_t stride, std::int64_t rows, std::int64_t words,
                   Word* to) {
  constexpr std::int64_t kSize = TileRow<Word>::kSize;
  const std::int64_t whole_rows = rows / kSize * kSize;
  const std::int64_t whole_words = words / kSize * kSize;
  for (std::int64_t w = 0; w < whole_words; w += kSize) {
    for (std::int64_t row = 0; row < whole_rows; row += kSize) {
      TransposeTile(from + row * stride + w, stride, to + w * kTileColumns + row, kTileColumns);
    }
  }
  for (std::int64_t w = 0; w < words; ++w) {
    Word* line = to + w * kTileColumns;
    for (std::int64_t row = w < whole_words ? whole_rows : 0; row < rows; ++row) {
      line[row] = from[row * stride + w];
    }
    std::fill(line + rows, line + kTileColumns, Word{});
  }
}

struct KeyRows {
  DType dtype;
  const std::byte* data;
  std::int64_t stride;  // elements
  std::int64_t count;   // up to kTileColumns
};

// A panel of pairs by pieces that are rounded to bfloat16.
void PackKeyPairs(const KeyRows& rows, std::int64_t size, std::byte* target) {
  constexpr std::int64_t kPiece = 64;
  std::array<std::uint32_t, kTileColumns * kPiece / 2> words{};
  const auto element = static_cast<std::int64_t>(SizeOf(rows.dtype));
  for (std::int64_t first = 0; first < size; first += kPiece) {
    const std::int64_t count = std::min(kPiece, size - first);
    for (std::int64_t row = 0; row < rows.count; ++row) {
      auto* to = reinterpret_cast<BFloat16*>(words.data() + row * kPiece / 2);
      NarrowRowToBFloat16(rows.dtype, rows.data + (row * rows.stride + first) * element, to, count);
      if (count % 2 != 0) {
        to[count] = BFloat16{};
      }
    }
    TransposeRows(words.data(), kPiece / 2, rows.count, (count + 1) / 2,
                  reinterpret_cast<std::uint32_t*>(target) + first / 2 * kTileColumns);
  }
}

void PackKeyPanel(const KeyRows& rows, const PanelLayout& layout, std::byte* target) {
  if (layout.format == TileFormat::kPairs) {
    PackKeyPairs(rows, layout.k, target);
  } else if (layout.format == TileFormat::kFloat) {
    TransposeRows(reinterpret_cast<const std::uint32_t*>(rows.data), rows.stride, rows.count,
                  layout.k, reinterpret_cast<std::uint32_t*>(target));
  } else {
    TransposeRows(reinterpret_cast<const std::uint16_t*>(rows.data), rows.stride, rows.count,
                  layout.k, reinterpret_cast<std::uint16_t*>(target));
  }
}

// Panels of all heads of keys, or of values, to `target`.
void PackHeads(const PackedAttention& s, const void* data, const HeadStrides& strides,
               bool of_values, std::byte* target) noexcept {
  const PanelLayout& layout = of_values ? s.values : s.keys;
  const auto element = static_cast<std::int64_t>(SizeOf(s.call.dtype));
  const std::int64_t panels = std::max<std::int64_t>(layout.panels(), 1);
  const std::int64_t grain = 500'000 / std::max<std::int64_t>(layout.panel_bytes(), 1);
  ParallelFor(s.call.batch * s.call.kv_heads * layout.panels(), grain,
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                  const std::int64_t matrix = i / panels;
                  const std::int64_t at =
                      strides.At(matrix / s.call.kv_heads, matrix % s.call.kv_heads, 0);
                  const std::int64_t panel = i % panels;
                  const std::byte* head = static_cast<const std::byte*>(data) + at * element;
                  std::byte* to = target + matrix * WholeLines(layout.size_bytes());
                  if (of_values) {
                    PackPanels({.dtype = s.call.dtype, .data = head, .step_stride = strides.row},
                               layout, panel, panel + 1, to);
                    continue;
                  }
                  const std::int64_t first = panel * kTileColumns;
                  PackKeyPanel({.dtype = s.call.dtype,
                                .data = head + first * strides.row * element,
                                .stride = strides.row,
                                .count = std::min<std::int64_t>(kTileColumns, layout.n - first)},
                               layout, to + panel * layout.panel_bytes());
                }
              });
}

std::int64_t JoinedBytes(const PackedAttention& s, bool of_values) {
  const AttentionCall& call = s.call;
  const std::int64_t size = of_values ? call.value_size : call.size;
  return s.joins_keys ? WholeLines(call.batch * call.kv_heads * call.total() * size *
                                   static_cast<std::int64_t>(SizeOf(call.dtype)))
                      : 0;
}

std::int64_t PanelBytes(const PackedAttention& s, bool of_values) {
  return WholeLines((of_values ? s.values : s.keys).size_bytes()) * s.call.batch * s.call.kv_heads;
}

}  // namespace

std::unique_ptr<KernelState> PreparePackedAttention(const KernelQuery& query, TileFormat format,
                                                    ImplMode mode) {
  auto state = std::make_unique<PackedAttention>();
  state->call = AttentionCallOf(query);
  const AttentionCall& call = state->call;
  state->keys = {.format = format, .k = call.size, .n = call.total()};
  state->values = {.format = format, .k = call.total(), .n = call.value_size};
  state->tile = TileFunctionOf(format);
  const SoftmaxLoops loops = FindSoftmaxLoops(OpKind::kSoftmax, DType::kFloat32, mode);
  state->softmax = loops.rows;
  state->masked_softmax = loops.masked_row;
  state->joins_keys = call.has_past;
  state->wants_scores = query.outputs.size() > 3;
  state->max_chunks = MaxChunks();
  return state;
}

std::size_t PackedAttentionScratch(const KernelState& state) {
  const auto& s = static_cast<const PackedAttention&>(state);
  return static_cast<std::size_t>(JoinedBytes(s, false) + JoinedBytes(s, true) +
                                  PanelBytes(s, false) + PanelBytes(s, true) +
                                  s.tile_bytes() * s.max_chunks);
}

void RunPackedAttention(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const PackedAttention&>(*args.state);
  const AttentionCall& call = s.call;
  std::byte* joined = args.scratch;
  std::byte* keys = joined + JoinedBytes(s, false) + JoinedBytes(s, true);
  std::byte* values = keys + PanelBytes(s, false);
  std::byte* chunks = values + PanelBytes(s, true);
  for (const bool of_values : {false, true}) {
    const std::size_t output = of_values ? 2 : 1;
    const bool wanted = output < args.outputs.size() && args.outputs[output] != nullptr;
    const void* data = args.inputs[of_values ? kValue : kKey];
    HeadStrides strides = of_values ? call.v : call.k;
    if (wanted || s.joins_keys) {
      void* target =
          wanted ? args.outputs[output] : joined + (of_values ? JoinedBytes(s, false) : 0);
      JoinPast(call, args, of_values, target);
      const std::int64_t size = of_values ? call.value_size : call.size;
      data = target;
      strides = {call.kv_heads * call.total() * size, call.total() * size, size};
    }
    PackHeads(s, data, strides, of_values, of_values ? values : keys);
  }
  const std::int64_t tiles = (call.queries + kTileRows - 1) / kTileRows;
  const double flops = 2.0 * kTileRows * static_cast<double>(call.total()) *
                       static_cast<double>(call.size + call.value_size + 20);
  ForEachChunk(call.batch * call.heads * tiles, GrainForFlops(flops), s.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t head = i / tiles;
                   QueryTile(s, args, keys, values, chunks + chunk * s.tile_bytes())
                       .Run(head / call.heads, head % call.heads, i % tiles * kTileRows);
                 }
               });
}

}  // namespace halftone
