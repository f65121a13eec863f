// Attention (scaled dot products) and RotaryEmbedding.
//
//   s = scale q k^T; s = cap tanh(s / cap) with softcap; s = s + mask; y = softmax(s) v
//
// A mask of -inf hides its position, whatever the score. A row with all positions hidden gives
// zeros. Causal: query i sees position j of the keys, past ones included, where j <= i + past.
// qk_matmul_output is s after the product (mode 0), the mask (1), the cap (2), or the softmax (3).
//
// An Attention that a fusion made (src/passes/fuse/fuse_attention.h) has a StepAttention. Its
// operands have four axes or three; it has no softcap, is_causal, past, lengths or further results.
// It masks like the Softmax that was fused into it (kernels/softmax/softmax.h):
//   t = scale q k^T + mask, mask floating; or t = scale q k^T where the bool mask is set, fill
//   elsewhere (the other way round with `drop`);   y = softmax(t) v
// With two masks, the floating one is kMask and the bool one is kKeep, an operand that ONNX does
// not have; `mask_last` adds the floating mask to the fill as well. A NaN at a hidden position
// reaches the result, and a row of nothing but -inf gives NaN.
//
// The packed entries compute in fp32 and round once; operands of 16 bits are exact. Error of y,
// with u = 2^-24, g(n) = n u / (1 - n u), d the size of a head, L positions, t the largest error of
// an s:
//   t = g(d + 2) scale sum |q k| + 4u cap + u |mask + s|
//   |dy| <= (e^2t - 1 + (-ln p + ln L + 7) u + g(L)) sum |p v|
// where t enters both numerator and denominator of the softmax (kernels/softmax/softmax.h). In
// high_performance, the exponentials and the sum of that mode add 1.9e-4 + (L/4 + 1) u in brackets.
// Entries on the bf16 dot units round the softmax weights p to bfloat16, and also float16 operands;
// v = 2^-8 for each rounding:
//   bfloat16  v more in brackets. In high_precision these entries serve only a fused Attention,
//             whose second product reads the weights in bfloat16 by the plan.
//   float16   2v + v^2 more in brackets, (2v + v^2) scale sum |q k| more in t.
// Entries with sums in float16 (ProductError: h = n v / (1 - n v), here v = 2^-11, for at most n
// roundings) round the softmax weights to float16: h + (1 + h) v more in brackets, h scale sum
// |q k| + 1.125 * 2^-25 d scale more in t, and 2^-24 L (1 + |v|) more in |dy|, with |v| the largest
// value. Scores and results are infinite or NaN if a sum in float16 is 65520 or more.
// Entries on the bf16 dot units flush operands and sums below 2^-126 to zero: 2^-126 (d + L) (1 +
// |q| + |k| + |v|) more in |dy|, with the largest elements. Checked by AttentionTest.ErrorBound.
// RotaryEmbedding: two products and their sum in fp32: |dy| <= 3u (|x1 cos| + |x2 sin|).
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

// Strides of the heads of an operand: row `i` of head `h` of image `b` is at b * batch + h * head +
// i * row, in elements.
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
  std::int64_t keys = 0;  // without the past
  std::int64_t past = 0;
  std::int64_t size = 0;        // of a head of Q and K
  std::int64_t value_size = 0;  // of a head of V
  double scale = 1;
  double softcap = 0;  // 0: none
  bool causal = false;
  std::int64_t output_mode = 0;
  bool masks_as_softmax = false;  // has a StepAttention, which gives the next three members
  float fill = 0;
  bool drop = false;
  bool mask_last = false;
  HeadStrides q, k, v, y;
  HeadStrides past_k, past_v;  // of the past, and of the present if its extent differs
  bool has_past = false;
  bool has_lengths = false;
  bool has_mask = false;
  DType mask_dtype = DType::kBool;
  std::array<std::int64_t, 4> mask_strides{};  // 0: broadcast
  std::int64_t mask_extent = 0;                // positions that the mask has
  bool has_keep = false;
  std::array<std::int64_t, 4> keep_strides{};

  [[nodiscard]] std::int64_t total() const { return past + keys; }

  [[nodiscard]] std::int64_t KvHead(std::int64_t head) const { return head / (heads / kv_heads); }

  // True if query i sees position j, apart from the mask.
  [[nodiscard]] bool Sees(const KernelArgs& args, std::int64_t b, std::int64_t i,
                          std::int64_t j) const noexcept;

  // Number that the mask adds to a score; -inf hides the position. Not for masks_as_softmax.
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

// Concatenates past and new keys (or values), [batch, kv_heads, total, size], into `target`.
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
// `mode` is the implementation mode of the softmax. Tiles of pairs round operands and softmax
// weights to the dtype of the pairs.
std::unique_ptr<KernelState> PreparePackedAttention(const KernelQuery& query,
                                                    const TileKernel& tile, ImplMode mode);

template <std::size_t tile, ImplMode mode>
std::unique_ptr<KernelState> PreparePackedAttention(const KernelQuery& query) {
  return PreparePackedAttention(query, kTileKernels[tile], mode);
}

std::size_t PackedAttentionScratch(const KernelState& state);
void RunPackedAttention(const KernelArgs& args) noexcept;

}  // namespace halftone
