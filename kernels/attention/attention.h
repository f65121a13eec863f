// Attention (scaled dot products) and RotaryEmbedding.
//
//   s = scale q k^T; s = cap tanh(s / cap) with softcap; s = s + mask; y = softmax(s) v
//
// A mask of -inf hides its position, whatever the score. A row with all positions hidden gives
// zeros. With is_causal, query i sees position j if j <= i + past; positions count from the first
// past key. qk_matmul_output is s after the product (mode 0), the mask (1), the cap (2), or the
// softmax (3).
//
// An Attention that a fusion made (src/passes/fuse/fuse_attention.h) has a StepAttention. Its
// operands have four axes or three. It has no softcap, is_causal, past, lengths or further results.
// It masks like the Softmax that was fused into it (kernels/softmax/softmax.h):
//   floating mask   s = scale q k^T + mask
//   bool mask       s = scale q k^T where the mask is set, `fill` elsewhere; with `drop`, `fill`
//                   where it is set
//   both            the floating mask is kMask; the bool mask is kKeep, an operand that ONNX does
//                   not have; `mask_last` also adds the floating mask to `fill`
// Such masks hide nothing. A NaN in v reaches the result even if its weight is 0. A NaN score
// reaches it unless a bool mask replaces the score. A row of nothing but -inf gives NaN.
//
// Error of y in the packed entries, which compute in fp32 and round once. u = 2^-24, g(n) = n u /
// (1 - n u), d is the size of a head, L the number of positions, p a softmax weight, and E the
// largest error of a score s:
//   E = g(d + 2) scale sum |q k| + 4u cap + u |mask + s|
//   |dy| <= B sum |p v|,  B = e^2E - 1 + (-ln p + ln L + 7) u + g(L)
// E counts twice, because it enters numerator and denominator of the softmax
// (kernels/softmax/softmax.h). Some entries add terms to B, E or |dy|:
//   high_performance (its exponentials and its sum)
//     B    1.9e-4 + (L/4 + 1) u
//   bf16 dot units (softmax weights, and float16 operands, rounded to bfloat16: b = 2^-8 each)
//     B    b for bfloat16 operands, 2b + b^2 for float16 operands
//     E    (2b + b^2) scale sum |q k| for float16 operands
//     |dy| 2^-126 (d + L) (1 + max |q| + max |k| + max |v|), because operands and sums below 2^-126
//          become zero
//   sums in float16 (at most n roundings of ProductError, and the softmax weights rounded to
//   float16; f = 2^-11, h = n f / (1 - n f))
//     B    h + (1 + h) f
//     E    h scale sum |q k| + 1.125 * 2^-25 d scale
//     |dy| 2^-24 L (1 + max |v|)
// Scores and results are infinite or NaN if a sum in float16 is 65520 or more. In high_precision,
// entries on the bf16 dot units take only a fused Attention, whose plan has the softmax weights in
// bfloat16. AttentionTest.ErrorBound checks the bound.
//
// RotaryEmbedding computes two products and their sum in fp32: |dy| <= 3u (|x1 cos| + |x2 sin|).
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "kernels/kernel_table.h"
#include "kernels/tile/tile_kernel.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> AttentionKernels();

enum AttentionInput : std::size_t {
  kQuery = 0,
  kKey = 1,
  kValue = 2,
  kMask = 3,
  kPastKey = 4,
  kPastValue = 5,
  kLengths = 6,
  kKeep = 7,
};

// Strides of an operand with heads, in elements: row `i` of head `h` of image `b` begins at element
// b * batch + h * head + i * row.
struct HeadStrides {
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t row = 0;

  [[nodiscard]] std::int64_t At(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return b * batch + h * head + i * row;
  }
};

// Attention with all attributes and operands resolved.
struct AttentionCall {
  DType dtype = DType::kFloat32;
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t queries = 0;
  std::int64_t keys = 0;        // new keys, without the past
  std::int64_t past = 0;        // past keys
  std::int64_t size = 0;        // size of a head of Q and K
  std::int64_t value_size = 0;  // size of a head of V
  double scale = 1;
  double softcap = 0;  // 0: none
  bool causal = false;
  std::int64_t output_mode = 0;
  bool masks_as_softmax = false;  // has a StepAttention, from which the next three members are
  float fill = 0;
  bool drop = false;
  bool mask_last = false;
  HeadStrides q, k, v, y;
  HeadStrides past_k, past_v;  // of the past operands
  bool has_past = false;
  bool has_lengths = false;
  bool has_mask = false;
  DType mask_dtype = DType::kBool;
  std::array<std::int64_t, 4> mask_strides{};  // 0: broadcast
  std::int64_t mask_extent = 0;                // positions that the mask covers; others are hidden
  bool has_keep = false;
  std::array<std::int64_t, 4> keep_strides{};

  [[nodiscard]] std::int64_t total() const { return past + keys; }

  [[nodiscard]] std::int64_t KvHead(std::int64_t head) const { return head / (heads / kv_heads); }

  // True if is_causal and the lengths let query i see position j.
  [[nodiscard]] bool Sees(const KernelArgs& args, std::int64_t b, std::int64_t i,
                          std::int64_t j) const noexcept;

  // The number that the mask adds to a score; -inf hides the position. Positions that Sees() denies
  // are hidden too. Not for masks_as_softmax.
  [[nodiscard]] double MaskAt(const KernelArgs& args, std::int64_t b, std::int64_t h,
                              std::int64_t i, std::int64_t j) const noexcept;

  // Index of the mask's element for (b, h, i, 0).
  [[nodiscard]] std::int64_t MaskRow(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return b * mask_strides[0] + h * mask_strides[1] + i * mask_strides[2];
  }

  // Index of kKeep's element for (b, h, i, 0).
  [[nodiscard]] std::int64_t KeepRow(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return b * keep_strides[0] + h * keep_strides[1] + i * keep_strides[2];
  }
};

AttentionCall AttentionCallOf(const KernelQuery& query);

// Concatenates past and new keys, or values if `values` is set, into `target`: [batch, kv_heads,
// total, size of a head].
void JoinPast(const AttentionCall& call, const KernelArgs& args, bool values,
              void* target) noexcept;

// Specifications in double (reference.cc, rotary.cc).
std::unique_ptr<KernelState> PrepareAttentionReference(const KernelQuery& query);
std::size_t AttentionReferenceScratch(const KernelState& state);
void RunAttentionReference(const KernelArgs& args) noexcept;

std::unique_ptr<KernelState> PrepareRotary(const KernelQuery& query);
void RunRotary(const KernelArgs& args) noexcept;
void RunRotaryReference(const KernelArgs& args) noexcept;

// Kernels on packed panels of keys and values (packed.cc), for float32, float16 and bfloat16.
// `mode` is the implementation mode of the softmax. Tiles with 16-bit pairs round operands and
// softmax weights to the dtype of the pairs.
std::unique_ptr<KernelState> PreparePackedAttention(const KernelQuery& query,
                                                    const TileKernel& tile, ImplMode mode);

template <std::size_t tile, ImplMode mode>
std::unique_ptr<KernelState> PreparePackedAttention(const KernelQuery& query) {
  return PreparePackedAttention(query, kTileKernels[tile], mode);
}

std::size_t PackedAttentionScratch(const KernelState& state);
void RunPackedAttention(const KernelArgs& args) noexcept;

}  // namespace halftone
