// Inner loop of packed attention: a tile of queries of one head with all keys and values of that
// head.
#pragma once

#include "kernels/attention/attention.h"
#include "kernels/scratch_parts.h"
#include "kernels/softmax/softmax.h"
#include "kernels/tile/pack_panels.h"

namespace halftone {

struct PackedAttention final : KernelState {
  AttentionCall call;
  PanelLayout keys;    // K^T of a head: size x total
  PanelLayout values;  // V of a head: total x value_size
  void (*softmax)(const void*, void*, std::int64_t, std::int64_t) = nullptr;
  void (*masked_softmax)(const MaskedSoftmaxRow&) = nullptr;
  bool joins_keys = false;    // past and new keys are separate, and joined before packing
  bool wants_scores = false;  // qk_matmul_output is a result
  int max_chunks = 1;

  // Strides of rows of queries, scores and softmax weights, in words of 4 bytes. TileRowStride()
  // spreads the rows of a tile over the sets of the L1 cache. A row of scores has room for the
  // columns of whole panels, because MultiplyKeys() writes whole panels.
  [[nodiscard]] std::int64_t query_stride() const { return TileRowStride(keys.steps()); }

  [[nodiscard]] std::int64_t score_stride() const {
    return TileRowStride(keys.panels() * tile().columns);
  }

  [[nodiscard]] std::int64_t weight_stride() const { return TileRowStride(values.steps()); }

  [[nodiscard]] const TileKernel& tile() const { return *values.tile; }

  // True if the softmax weights are pairs of 16 bits, which are stored separately from the scores.
  [[nodiscard]] bool pairs() const { return tile().pairs(); }

  [[nodiscard]] std::int64_t query_bytes() const {
    return WholeLines(tile().rows * query_stride() * 4);
  }

  [[nodiscard]] std::int64_t score_bytes() const {
    return WholeLines(tile().rows * score_stride() * 4);
  }

  [[nodiscard]] std::int64_t weight_bytes() const {
    return pairs() ? WholeLines(tile().rows * weight_stride() * 4) : 0;
  }

  // Bytes of a row of the mask that is converted to float32; 0 if the mask needs no conversion.
  [[nodiscard]] std::int64_t mask_bytes() const {
    const bool converts = call.masks_as_softmax && call.has_mask &&
                          call.mask_dtype != DType::kBool && call.mask_dtype != DType::kFloat32;
    return converts ? WholeLines(call.total() * 4) : 0;
  }

  // Bytes of scratch of one QueryTile.
  [[nodiscard]] std::int64_t tile_bytes() const {
    return query_bytes() + score_bytes() + weight_bytes() + mask_bytes() +
           WholeLines(std::int64_t{tile().elements()} * 4);
  }
};

// Computes the attention of a tile of queries. One object serves one call of Run().
class QueryTile {
 public:
  // `keys` and `values` are packed panels of all heads of all images. Those of each head begin
  // WholeLines(size_bytes()) bytes after those of the head before it.
  QueryTile(const PackedAttention& s, const KernelArgs& args, const std::byte* keys,
            const std::byte* values, std::byte* scratch);

  // Computes as many queries as the tile has rows, from `first` on, of head h of image b.
  void Run(std::int64_t b, std::int64_t h, std::int64_t first) noexcept;

 private:
  void LoadQueries() noexcept;
  void MultiplyKeys() noexcept;
  void Emit(std::int64_t mode, int row) const noexcept;
  void AddMask(int row, float* s) const noexcept;
  void AddMaskRow(std::int64_t at, float* s, std::int64_t count) const noexcept;
  void Normalize(int row) noexcept;
  void WidenMask(const void* row) noexcept;
  void NormalizeAsSoftmax(int row) noexcept;
  void MultiplyValues() noexcept;

  const PackedAttention& s_;
  const AttentionCall& call_;
  const KernelArgs& args_;
  const std::byte* keys_;
  const std::byte* values_;
  std::byte* queries_ = nullptr;
  float* scores_ = nullptr;
  std::byte* weights_ = nullptr;  // softmax weights; the memory of the scores unless pairs()
  float* mask_ = nullptr;
  float* sums_ = nullptr;
  std::int64_t b_ = 0;
  std::int64_t h_ = 0;
  std::int64_t first_ = 0;
  int rows_ = 0;
};

}  // namespace halftone
