// Attention (scaled dot products) and RotaryEmbedding.
//
//   s = scale q k^T; s = cap tanh(s / cap) with softcap; s = s + mask; y = softmax(s) v
//
// A mask of -inf hides its position, whatever the score. A row of which every position is hidden
// gives zeros. Causal: position j of keys, past ones
// included, is seen by query i where j <= i + past. qk_matmul_output is s as it stands after the
// product (mode 0), the mask (1), the cap (2), or the softmax (3).
//
// The packed entries compute in fp32 and round once; operands of 16 bits are exact. Error of y,
// with u = 2^-24, g(n) = n u / (1 - n u), d the size of a head, L positions, t the largest error of
// an s:
//   t = g(d + 2) scale sum |q k| + 4u cap + u |mask + s|
//   |dy| <= (2 t + (-ln p + ln L + 7) u + g(L)) sum |p v|
// where the softmax passes t of numerator and denominator (kernels/softmax/softmax.h). Checked by
// AttentionTest.ErrorBound.
// RotaryEmbedding: two products and their sum in fp32: |dy| <= 3u (|x1 cos| + |x2 sin|).
#pragma once

#include <array>
#include <span>

#include "kernels/kernel_table.h"

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
};

// Where a head of an operand lies: row `i` of head `h` of image `b` at b * batch + h * head + i *
// row, in elements.
struct HeadStrides {
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t row = 0;

  [[nodiscard]] std::int64_t At(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return b * batch + h * head + i * row;
  }
};

// One call with everything resolved.
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
  HeadStrides q, k, v, y;
  HeadStrides past_k, past_v;  // of the past, and with another extent of the present
  bool has_past = false;
  bool has_lengths = false;
  bool has_mask = false;
  DType mask_dtype = DType::kBool;
  std::array<std::int64_t, 4> mask_strides{};  // 0: broadcast
  std::int64_t mask_extent = 0;                // positions that the mask has

  [[nodiscard]] std::int64_t total() const { return past + keys; }

  [[nodiscard]] std::int64_t KvHead(std::int64_t head) const { return head / (heads / kv_heads); }

  // Whether query i may see position j, by everything but the mask.
  [[nodiscard]] bool Sees(const KernelArgs& args, std::int64_t b, std::int64_t i,
                          std::int64_t j) const noexcept;

  // What is added to a score: -inf hides the position.
  [[nodiscard]] double MaskAt(const KernelArgs& args, std::int64_t b, std::int64_t h,
                              std::int64_t i, std::int64_t j) const noexcept;
};

AttentionCall AttentionCallOf(const KernelQuery& query);

// Past and new keys (or values) behind each other, [batch, kv_heads, total, size], to `target`.
void JoinPast(const AttentionCall& call, const KernelArgs& args, bool values,
              void* target) noexcept;

// The specifications in double (reference.cc, rotary.cc).
std::unique_ptr<KernelState> PrepareAttentionReference(const KernelQuery& query);
std::size_t AttentionReferenceScratch(const KernelState& state);
void RunAttentionReference(const KernelArgs& args) noexcept;

std::unique_ptr<KernelState> PrepareRotary(const KernelQuery& query);
void RunRotary(const KernelArgs& args) noexcept;
void RunRotaryReference(const KernelArgs& args) noexcept;

// By packed panels of keys and values (packed.cc); float32, float16, bfloat16.
std::unique_ptr<KernelState> PreparePackedAttention(const KernelQuery& query);
std::size_t PackedAttentionScratch(const KernelState& state);
void RunPackedAttention(const KernelArgs& args) noexcept;

}  // namespace halftone
