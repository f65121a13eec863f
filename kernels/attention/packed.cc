#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/attention/attention.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/half_rows.h"
#include "kernels/gemm/pack_panels.h"
#include "kernels/gemm/tile_output.h"
#include "kernels/parallel.h"
#include "kernels/recurrent/activation.h"
#include "kernels/softmax/softmax.h"

namespace halftone {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

constexpr std::int64_t RoundUp(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

constexpr TileFormat FormatOf(DType dtype) {
  return dtype == DType::kFloat32   ? TileFormat::kFloat
         : dtype == DType::kFloat16 ? TileFormat::kFloat16
                                    : TileFormat::kBFloat16;
}

struct PackedState final : KernelState {
  AttentionCall call;
  PanelLayout keys;    // K^T of a head: size x total
  PanelLayout values;  // V of a head: total x value_size
  TileFunction tile = nullptr;
  void (*softmax)(const void*, void*, std::int64_t, std::int64_t) = nullptr;
  bool joins_keys = false;  // past and new keys lie apart
  bool wants_scores = false;
  int max_chunks = 1;

  // Rows of queries and of scores, padded so that the tile may read whole panels.
  [[nodiscard]] std::int64_t query_stride() const { return TileRowStride(call.size); }

  [[nodiscard]] std::int64_t score_stride() const {
    return TileRowStride(keys.panels() * kTileColumns);
  }

  [[nodiscard]] std::int64_t chunk_bytes() const {
    return RoundUp(kTileRows * query_stride() * 4) + RoundUp(kTileRows * score_stride() * 4) +
           RoundUp(std::int64_t{kTileElements} * 4);
  }

  [[nodiscard]] std::int64_t joined_bytes(bool of_values) const {
    const std::int64_t size = of_values ? call.value_size : call.size;
    return joins_keys ? RoundUp(call.batch * call.kv_heads * call.total() * size *
                                static_cast<std::int64_t>(SizeOf(call.dtype)))
                      : 0;
  }

  [[nodiscard]] std::int64_t panel_bytes(bool of_values) const {
    return RoundUp((of_values ? values : keys).size_bytes()) * call.batch * call.kv_heads;
  }
};

// Rows of A by one panel of B.
struct TileProduct {
  const PanelLayout& layout;
  const float* a;
  std::int64_t lda;
  int rows;
  const std::byte* panel;
  int columns;
};

// Adds up a tile over all steps, block after block.
void MultiplyTile(TileFunction tile, const TileProduct& product, float* c) {
  const StepBlocks blocks{product.layout.steps()};
  const std::int64_t step_bytes = kTileColumns * BytesPerColumnStep(product.layout.format);
  for (std::int64_t block = 0; block < blocks.count(); ++block) {
    tile({.rows = product.rows,
          .columns = product.columns,
          .steps = blocks.size(block),
          .a = product.a + blocks.begin(block),
          .lda = product.lda,
          .b = product.panel + blocks.begin(block) * step_bytes,
          .c = c,
          .accumulate = block > 0});
  }
}

// One tile of queries of one head.
class QueryTile {
 public:
  QueryTile(const PackedState& s, const KernelArgs& args, const std::byte* keys,
            const std::byte* values, std::byte* scratch)
      : s_(s), call_(s.call), args_(args), keys_(keys), values_(values) {
    queries_ = reinterpret_cast<float*>(scratch);
    scratch += RoundUp(kTileRows * s.query_stride() * 4);
    scores_ = reinterpret_cast<float*>(scratch);
    scratch += RoundUp(kTileRows * s.score_stride() * 4);
    sums_ = reinterpret_cast<float*>(scratch);
  }

  void Run(std::int64_t b, std::int64_t h, std::int64_t first) noexcept {
    b_ = b;
    h_ = h;
    first_ = first;
    rows_ = static_cast<int>(std::min<std::int64_t>(kTileRows, call_.queries - first));
    const std::int64_t matrix = b * call_.kv_heads + call_.KvHead(h);
    keys_ += matrix * RoundUp(s_.keys.size_bytes());
    values_ += matrix * RoundUp(s_.values.size_bytes());
    LoadQueries();
    MultiplyKeys();
    for (int row = 0; row < rows_; ++row) {
      Normalize(row);
    }
    MultiplyValues();
  }

 private:
  void LoadQueries() noexcept {
    const auto element = static_cast<std::int64_t>(SizeOf(call_.dtype));
    for (int row = 0; row < rows_; ++row) {
      WidenRow(call_.dtype,
               static_cast<const std::byte*>(args_.inputs[kQuery]) +
                   call_.q.At(b_, h_, first_ + row) * element,
               queries_ + row * s_.query_stride(), call_.size);
    }
  }

  void MultiplyKeys() noexcept {
    const auto scale = static_cast<float>(call_.scale);
    for (std::int64_t panel = 0; panel < s_.keys.panels(); ++panel) {
      const int columns = static_cast<int>(
          std::min<std::int64_t>(kTileColumns, call_.total() - panel * kTileColumns));
      MultiplyTile(s_.tile,
                   {s_.keys, queries_, s_.query_stride(), rows_,
                    keys_ + panel * s_.keys.panel_bytes(), columns},
                   sums_);
      for (int row = 0; row < rows_; ++row) {
        float* to = scores_ + row * s_.score_stride() + panel * kTileColumns;
        for (int j = 0; j < columns; ++j) {
          to[j] = sums_[row * kTileColumns + j] * scale;
        }
      }
    }
  }

  void Emit(std::int64_t mode, int row) const noexcept {
    if (s_.wants_scores && call_.output_mode == mode) {
      const std::int64_t at =
          ((b_ * call_.heads + h_) * call_.queries + first_ + row) * call_.total();
      NarrowRow(call_.dtype, scores_ + row * s_.score_stride(),
                static_cast<std::byte*>(args_.outputs[3]) +
                    at * static_cast<std::int64_t>(SizeOf(call_.dtype)),
                call_.total());
    }
  }

  // Adds the mask, and hides what is behind the last position that the query may see.
  void AddMask(int row, float* s) const noexcept {
    const std::int64_t i = first_ + row;
    std::int64_t seen = call_.total();
    if (call_.has_lengths) {
      seen = std::clamp<std::int64_t>(static_cast<const std::int64_t*>(args_.inputs[kLengths])[b_],
                                      0, seen);
    }
    seen = call_.causal ? std::min(seen, i + call_.past + 1) : seen;
    seen = call_.has_mask ? std::min(seen, call_.mask_extent) : seen;
    const bool rows = call_.mask_dtype == DType::kBool || IsTunable(call_.mask_dtype);
    if (call_.has_mask && rows && call_.mask_strides[3] == 1) {
      AddMaskRow(
          b_ * call_.mask_strides[0] + h_ * call_.mask_strides[1] + i * call_.mask_strides[2], s,
          seen);
    } else if (call_.has_mask) {
      for (std::int64_t j = 0; j < seen; ++j) {
        const auto value = static_cast<float>(call_.MaskAt(args_, b_, h_, i, j));
        s[j] = value == kHidden ? kHidden : s[j] + value;
      }
    }
    std::fill(s + seen, s + call_.total(), kHidden);
  }

  // Contiguous elements of the mask from `at` on.
  void AddMaskRow(std::int64_t at, float* s, std::int64_t count) const noexcept {
    if (call_.mask_dtype == DType::kBool) {
      const auto* mask = static_cast<const bool*>(args_.inputs[kMask]) + at;
      for (std::int64_t j = 0; j < count; ++j) {
        s[j] = mask[j] ? s[j] : kHidden;
      }
      return;
    }
    constexpr std::int64_t kPiece = 64;
    std::array<float, kPiece> piece{};
    const auto* mask = static_cast<const std::byte*>(args_.inputs[kMask]) +
                       at * static_cast<std::int64_t>(SizeOf(call_.mask_dtype));
    for (std::int64_t first = 0; first < count; first += kPiece) {
      const std::int64_t part = std::min(kPiece, count - first);
      WidenRow(call_.mask_dtype, mask + first * static_cast<std::int64_t>(SizeOf(call_.mask_dtype)),
               piece.data(), part);
      for (std::int64_t j = 0; j < part; ++j) {
        const float value = piece[static_cast<std::size_t>(j)];
        s[first + j] = value == kHidden ? kHidden : s[first + j] + value;
      }
    }
  }

  void Normalize(int row) noexcept {
    float* s = scores_ + row * s_.score_stride();
    Emit(0, row);
    if (call_.softcap != 0) {
      const auto cap = static_cast<float>(call_.softcap);
      ActivateRow({Activation::Kind::kScaledTanh, cap, 1 / cap}, s, call_.total());
    }
    Emit(2, row);
    AddMask(row, s);
    Emit(1, row);
    const bool hidden = std::all_of(
        s, s + call_.total(), [](float x) { return x == -std::numeric_limits<float>::infinity(); });
    if (hidden) {
      std::fill(s, s + call_.total(), 0.0F);
    } else {
      s_.softmax(s, s, 1, call_.total());
    }
    Emit(3, row);
  }

  void MultiplyValues() noexcept {
    const auto element = static_cast<std::int64_t>(SizeOf(call_.dtype));
    for (std::int64_t panel = 0; panel < s_.values.panels(); ++panel) {
      const int columns = static_cast<int>(
          std::min<std::int64_t>(kTileColumns, call_.value_size - panel * kTileColumns));
      MultiplyTile(s_.tile,
                   {s_.values, scores_, s_.score_stride(), rows_,
                    values_ + panel * s_.values.panel_bytes(), columns},
                   sums_);
      StoreTile(sums_, {.y = static_cast<std::byte*>(args_.outputs[0]) +
                             (call_.y.At(b_, h_, first_) + panel * kTileColumns) * element,
                        .dtype = call_.dtype,
                        .row_stride = call_.y.row,
                        .rows = rows_,
                        .columns = columns});
    }
  }

  const PackedState& s_;
  const AttentionCall& call_;
  const KernelArgs& args_;
  const std::byte* keys_;
  const std::byte* values_;
  float* queries_ = nullptr;
  float* scores_ = nullptr;
  float* sums_ = nullptr;
  std::int64_t b_ = 0;
  std::int64_t h_ = 0;
  std::int64_t first_ = 0;
  int rows_ = 0;
};

// Panels of all heads of keys, or of values, to `target`.
void PackHeads(const PackedState& s, const void* data, const HeadStrides& strides, bool of_values,
               std::byte* target) noexcept {
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
                  PackPanels({.dtype = s.call.dtype,
                              .data = static_cast<const std::byte*>(data) + at * element,
                              .step_stride = of_values ? strides.row : 1,
                              .column_stride = of_values ? 1 : strides.row},
                             layout, i % panels, i % panels + 1,
                             target + matrix * RoundUp(layout.size_bytes()));
                }
              });
}

}  // namespace

std::unique_ptr<KernelState> PreparePackedAttention(const KernelQuery& query) {
  auto state = std::make_unique<PackedState>();
  state->call = AttentionCallOf(query);
  const AttentionCall& call = state->call;
  const TileFormat format = FormatOf(call.dtype);
  state->keys = {.format = format, .k = call.size, .n = call.total()};
  state->values = {.format = format, .k = call.total(), .n = call.value_size};
  state->tile = TileFunctionOf(format);
  state->softmax =
      FindSoftmaxLoops(OpKind::kSoftmax, DType::kFloat32, ImplMode::kHighPrecision).rows;
  state->joins_keys = call.has_past;
  state->wants_scores = query.outputs.size() > 3;
  state->max_chunks = MaxChunks();
  return state;
}

std::size_t PackedAttentionScratch(const KernelState& state) {
  const auto& s = static_cast<const PackedState&>(state);
  return static_cast<std::size_t>(s.joined_bytes(false) + s.joined_bytes(true) +
                                  s.panel_bytes(false) + s.panel_bytes(true) +
                                  s.chunk_bytes() * s.max_chunks);
}

void RunPackedAttention(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const PackedState&>(*args.state);
  const AttentionCall& call = s.call;
  std::byte* joined = args.scratch;
  std::byte* keys = joined + s.joined_bytes(false) + s.joined_bytes(true);
  std::byte* values = keys + s.panel_bytes(false);
  std::byte* chunks = values + s.panel_bytes(true);
  for (const bool of_values : {false, true}) {
    const std::size_t output = of_values ? 2 : 1;
    const bool wanted = output < args.outputs.size() && args.outputs[output] != nullptr;
    const void* data = args.inputs[of_values ? kValue : kKey];
    HeadStrides strides = of_values ? call.v : call.k;
    if (wanted || s.joins_keys) {
      void* target =
          wanted ? args.outputs[output] : joined + (of_values ? s.joined_bytes(false) : 0);
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
                   QueryTile(s, args, keys, values, chunks + chunk * s.chunk_bytes())
                       .Run(head / call.heads, head % call.heads, i % tiles * kTileRows);
                 }
               });
}

}  // namespace halftone
