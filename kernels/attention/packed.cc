#include <algorithm>

#include "kernels/attention/query_tile.h"
#include "kernels/gemm/chunks.h"
#include "kernels/parallel.h"
#include "kernels/softmax/softmax.h"

namespace halftone {
namespace {

// Packs the panels of all heads of keys, or of values, to `target`.
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
                  // Columns of K^T are the rows of K.
                  PackPanels({.dtype = s.call.dtype,
                              .data = head,
                              .step_stride = of_values ? strides.row : 1,
                              .column_stride = of_values ? 1 : strides.row},
                             layout, panel, panel + 1, to);
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

std::unique_ptr<KernelState> PreparePackedAttention(const KernelQuery& query,
                                                    const TileKernel& tile, ImplMode mode) {
  auto state = std::make_unique<PackedAttention>();
  state->call = AttentionCallOf(query);
  const AttentionCall& call = state->call;
  state->keys = {.tile = &tile, .k = call.size, .n = call.total()};
  state->values = {.tile = &tile, .k = call.total(), .n = call.value_size};
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
  const int rows = s.tile().rows;
  const std::int64_t tiles = s.tile().row_tiles(call.queries);
  const double flops = 2.0 * rows * static_cast<double>(call.total()) *
                       static_cast<double>(call.size + call.value_size + 20);
  ForEachChunk(call.batch * call.heads * tiles, GrainForFlops(flops), s.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t head = i / tiles;
                   QueryTile(s, args, keys, values, chunks + chunk * s.tile_bytes())
                       .Run(head / call.heads, head % call.heads, i % tiles * rows);
                 }
               });
}

}  // namespace halftone
