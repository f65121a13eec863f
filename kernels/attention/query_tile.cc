#include "kernels/attention/query_tile.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "kernels/recurrent/activation.h"
#include "kernels/tile/half_rows.h"
#include "kernels/tile/tile_output.h"

namespace halftone {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

// Rows of A by one panel of B.
struct TileProduct {
  const PanelLayout& layout;
  const void* a;
  std::int64_t lda;
  int rows;
  const std::byte* panel;
  int columns;
};

// Adds up a tile over all steps, block after block.
void MultiplyTile(const TileProduct& product, float* c) {
  const TileKernel& tile = *product.layout.tile;
  const StepBlocks blocks = product.layout.blocks();
  for (std::int64_t block = 0; block < blocks.count(); ++block) {
    tile.run({.rows = product.rows,
              .columns = product.columns,
              .steps = blocks.size(block),
              .a = static_cast<const std::byte*>(product.a) + blocks.begin(block) * 4,
              .lda = product.lda,
              .b = product.panel + blocks.begin(block) * tile.step_bytes(),
              .c = c,
              .c_stride = tile.columns,
              .accumulate = block > 0});
  }
}

// A row of A in pairs. The second half of an odd end is zero: the other operand may be infinite.
void NarrowToPairs(const TileKernel& tile, DType from, const void* source, std::byte* target,
                   std::int64_t count) {
  NarrowRowTo(tile.pair_dtype(), from, source, target, count);
  if (count % 2 != 0) {
    reinterpret_cast<std::uint16_t*>(target)[count] = 0;
  }
}

float Masked(float score, bool shown) {
  if (!shown) {
    return kHidden;
  }
  return score;
}

}  // namespace

QueryTile::QueryTile(const PackedAttention& s, const KernelArgs& args, const std::byte* keys,
                     const std::byte* values, std::byte* scratch)
    : s_(s), call_(s.call), args_(args), keys_(keys), values_(values), queries_(scratch) {
  scratch += s.query_bytes();
  scores_ = reinterpret_cast<float*>(scratch);
  weights_ = s.pairs() ? scratch + s.score_bytes() : scratch;
  scratch += s.score_bytes() + s.weight_bytes();
  mask_ = reinterpret_cast<float*>(scratch);
  sums_ = reinterpret_cast<float*>(scratch + s.mask_bytes());
}

void QueryTile::Run(std::int64_t b, std::int64_t h, std::int64_t first) noexcept {
  b_ = b;
  h_ = h;
  first_ = first;
  rows_ = static_cast<int>(std::min<std::int64_t>(s_.tile().rows, call_.queries - first));
  const std::int64_t matrix = b * call_.kv_heads + call_.KvHead(h);
  keys_ += matrix * WholeLines(s_.keys.size_bytes());
  values_ += matrix * WholeLines(s_.values.size_bytes());
  LoadQueries();
  MultiplyKeys();
  for (int row = 0; row < rows_; ++row) {
    if (call_.masks_as_softmax) {
      NormalizeAsSoftmax(row);
    } else {
      Normalize(row);
    }
    if (s_.pairs()) {
      NarrowToPairs(s_.tile(), DType::kFloat32, scores_ + row * s_.score_stride(),
                    weights_ + row * s_.weight_stride() * 4, call_.total());
    }
  }
  MultiplyValues();
}

void QueryTile::LoadQueries() noexcept {
  const auto element = static_cast<std::int64_t>(SizeOf(call_.dtype));
  for (int row = 0; row < rows_; ++row) {
    const std::byte* from = static_cast<const std::byte*>(args_.inputs[kQuery]) +
                            call_.q.At(b_, h_, first_ + row) * element;
    std::byte* to = queries_ + row * s_.query_stride() * 4;
    if (s_.pairs()) {
      NarrowToPairs(s_.tile(), call_.dtype, from, to, call_.size);
    } else {
      WidenRow(call_.dtype, from, reinterpret_cast<float*>(to), call_.size);
    }
  }
}

void QueryTile::MultiplyKeys() noexcept {
  // The Softmax scales as it reads.
  const float scale = call_.masks_as_softmax ? 1.0F : static_cast<float>(call_.scale);
  const int width = s_.tile().columns;
  for (std::int64_t panel = 0; panel < s_.keys.panels(); ++panel) {
    const int columns = s_.tile().ColumnsAt(panel, call_.total());
    MultiplyTile({s_.keys, queries_, s_.query_stride(), rows_,
                  keys_ + panel * s_.keys.panel_bytes(), columns},
                 sums_);
    for (int row = 0; row < rows_; ++row) {
      float* to = scores_ + row * s_.score_stride() + panel * width;
      for (int j = 0; j < width; ++j) {  // columns behind the last are never read
        to[j] = sums_[row * width + j] * scale;
      }
    }
  }
}

void QueryTile::Emit(std::int64_t mode, int row) const noexcept {
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
void QueryTile::AddMask(int row, float* s) const noexcept {
  const std::int64_t i = first_ + row;
  std::int64_t seen = call_.total();
  if (call_.has_lengths) {
    seen = std::clamp<std::int64_t>(static_cast<const std::int64_t*>(args_.inputs[kLengths])[b_], 0,
                                    seen);
  }
  seen = call_.causal ? std::min(seen, i + call_.past + 1) : seen;
  seen = call_.has_mask ? std::min(seen, call_.mask_extent) : seen;
  const bool rows = call_.mask_dtype == DType::kBool || IsTunable(call_.mask_dtype);
  if (call_.has_mask && rows && call_.mask_strides[3] == 1) {
    AddMaskRow(b_ * call_.mask_strides[0] + h_ * call_.mask_strides[1] + i * call_.mask_strides[2],
               s, seen);
  } else if (call_.has_mask) {
    for (std::int64_t j = 0; j < seen; ++j) {
      const auto value = static_cast<float>(call_.MaskAt(args_, b_, h_, i, j));
      s[j] = value == kHidden ? kHidden : s[j] + value;
    }
  }
  std::fill(s + seen, s + call_.total(), kHidden);
}

// Contiguous elements of the mask from `at` on.
void QueryTile::AddMaskRow(std::int64_t at, float* s, std::int64_t count) const noexcept {
  if (call_.mask_dtype == DType::kBool) {
    const auto* mask = static_cast<const bool*>(args_.inputs[kMask]) + at;
    for (std::int64_t j = 0; j < count; ++j) {
      s[j] = Masked(s[j], mask[j]);
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

void QueryTile::Normalize(int row) noexcept {
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

void QueryTile::WidenMask(const void* row) noexcept {
  if (IsTunable(call_.mask_dtype)) {
    WidenRow(call_.mask_dtype, row, mask_, call_.total());
    return;
  }
  for (std::int64_t j = 0; j < call_.total(); ++j) {
    mask_[j] = static_cast<float>(DoubleAt(call_.mask_dtype, row, j));
  }
}

// Scale, mask and softmax in one pass over the row.
void QueryTile::NormalizeAsSoftmax(int row) noexcept {
  float* s = scores_ + row * s_.score_stride();
  const std::int64_t at = call_.MaskRow(b_, h_, first_ + row);
  MaskedSoftmaxRow masked{.x = s,
                          .y = s,
                          .length = call_.total(),
                          .scale = static_cast<float>(call_.scale),
                          .fill = call_.fill,
                          .drop = call_.drop,
                          .mask_last = call_.mask_last};
  if (call_.has_mask && call_.mask_dtype == DType::kBool) {
    masked.keep = static_cast<const std::uint8_t*>(args_.inputs[kMask]) + at;
  } else if (call_.has_mask) {
    const std::byte* mask = static_cast<const std::byte*>(args_.inputs[kMask]) +
                            at * static_cast<std::int64_t>(SizeOf(call_.mask_dtype));
    masked.mask = mask;
    if (s_.mask_bytes() != 0) {
      WidenMask(mask);
      masked.mask = mask_;
    }
  }
  if (call_.has_keep) {
    masked.keep =
        static_cast<const std::uint8_t*>(args_.inputs[kKeep]) + call_.KeepRow(b_, h_, first_ + row);
  }
  s_.masked_softmax(masked);
}

void QueryTile::MultiplyValues() noexcept {
  const auto element = static_cast<std::int64_t>(SizeOf(call_.dtype));
  for (std::int64_t panel = 0; panel < s_.values.panels(); ++panel) {
    const int columns = s_.tile().ColumnsAt(panel, call_.value_size);
    MultiplyTile({s_.values, weights_, s_.pairs() ? s_.weight_stride() : s_.score_stride(), rows_,
                  values_ + panel * s_.values.panel_bytes(), columns},
                 sums_);
    StoreTile(sums_, {.y = static_cast<std::byte*>(args_.outputs[0]) +
                           (call_.y.At(b_, h_, first_) + panel * s_.tile().columns) * element,
                      .dtype = call_.dtype,
                      .row_stride = call_.y.row,
                      .rows = rows_,
                      .columns = columns,
                      .c_stride = s_.tile().columns});
  }
}

}  // namespace halftone
