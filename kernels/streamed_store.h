// Non-temporal stores for results that are too large for any cache. An ordinary store first reads
// the cache line that it writes; this read is a third of the memory traffic of y = f(x).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Least size of a streamed result in bytes: the size of the development machine's L3 cache. A
// smaller result may still be in the L3 when the next operator reads it.
//
// Streaming pays only for float32, and for loops that take 0.1 ns an element or less in the cache.
// For others, copying the block costs more than the saved read. Time relative to ordinary stores,
// 64 MiB (medians of 5 pairs, 2 cores of a Zen 4, other processes running, 2026-11-22): Relu 0.75,
// Clip 0.86, Exp (fast) 0.87, Mul 0.96, Add 0.98; but Sigmoid 1.19; in bfloat16 Relu 1.25, Mul
// 1.24; in float16 Exp 1.12, Mul 1.12. On a Skylake-SP (halftone_bench, 64 MiB) the fast variants
// of Sigmoid, Swish, Tanh, Gelu and Erf took 1.2 to 1.5.
inline constexpr std::int64_t kStreamedBytes = std::int64_t{32} << 20;

inline bool IsStreamed(DType dtype, std::int64_t elements) {
  return dtype == DType::kFloat32 && elements * 4 >= kStreamedBytes;
}

// Number of elements that are computed in the first-level cache before they are written. More are
// slower, because reading and writing must overlap: with 2048, streaming gains nothing.
inline constexpr std::int64_t kStreamedElements = 256;

// Copies from a 64-byte aligned buffer to any address. Other threads may read the result after this
// thread has called FinishStreamed().
void StoreStreamed(const std::byte* from, std::byte* to, std::int64_t bytes) noexcept;
void FinishStreamed() noexcept;

// Computes elements [begin, end) of a float32 result and streams them to the tensor at `y`.
// make(first, last, part) must write elements [first, last) to `part`.
template <typename Make>
void MakeStreamed(std::byte* y, std::int64_t begin, std::int64_t end, const Make& make) noexcept {
  alignas(64) std::byte part[kStreamedElements * 4];
  for (std::int64_t i = begin; i < end; i += kStreamedElements) {
    const std::int64_t last = std::min(i + kStreamedElements, end);
    make(i, last, part);
    StoreStreamed(part, y + i * 4, (last - i) * 4);
  }
  FinishStreamed();
}

}  // namespace halftone
