// Floats as sums of bfloat16 parts: a = a0 + a1 (+ a2). Each part is what the parts before it leave
// of a, rounded to nearest even.
//
// |a - a0| <= 2^-8 |a|, |a - a0 - a1| <= 2^-16 |a|, and three parts hold all 24 bits: a0 + a1 + a2
// = a, unless a part is below 2^-126, which the tile takes as zero. If a0 would round to infinity
// (|a| >= 3.39e38), it is truncated instead, and |a - a0| <= 2^-7 |a|. For an infinity or NaN, a0
// is that infinity or a NaN, and the other parts are zero. Source: Henry, Tang, Heinecke,
// "Leveraging the bfloat16 artificial intelligence datatype for higher-precision computations",
// ARITH 2019.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "src/ir/half.h"

namespace halftone {

// Number of elements of a row of A, or of a column of B, that one step of a tile of parts takes.
inline constexpr std::int64_t kPartChunk = 32;
inline constexpr int kMostFloatParts = 3;
// TileKernel::block_steps of tiles of parts: 256 elements of k, so that 32 rows of A in three parts
// and 32 columns of B take 48 KiB each.
inline constexpr std::int64_t kPartBlockSteps = 8;

// A product of part `a` of one operand by part `b` of the other.
struct PartProduct {
  int a;
  int b;
};

// Products that a tile sums, in this order. For 3 parts, the products left out sum to at most
// (2^-23 + 2^-32) |a b|, about the rounding of float32; for 2 parts, to at most (3 * 2^-16 + 2^-32)
// |a b|.
inline constexpr std::array<PartProduct, 3> kProductsOfTwoParts = {{{0, 1}, {0, 0}, {1, 0}}};
inline constexpr std::array<PartProduct, 6> kProductsOfThreeParts = {
    {{0, 2}, {0, 1}, {0, 0}, {1, 0}, {1, 1}, {2, 0}}};

constexpr std::span<const PartProduct> PartProducts(int parts) {
  return parts == 2 ? std::span<const PartProduct>(kProductsOfTwoParts)
                    : std::span<const PartProduct>(kProductsOfThreeParts);
}

// Bound on the sum of the products of parts that are left out, relative to |a b|.
constexpr double LeftOutOfParts(int parts) {
  return parts == 2 ? 3 * 0x1p-16 + 0x1p-32 : 0x1p-23 + 0x1p-32;
}

// Splits `count` floats, a multiple of 16: writes part p of float i to parts[p][i].
void SplitFloats(const float* from, std::int64_t count, std::span<BFloat16* const> parts) noexcept;

// Rows of a matrix of floats.
struct FloatRows {
  const std::byte* data = nullptr;  // first element of the first row
  std::int64_t row_stride = 0;      // in elements
  std::int64_t step_stride = 1;     // between neighbours in a row, in elements
  int rows = 0;
  std::int64_t count = 0;  // elements of a row
};

// Splits the rows into the order in which a tile of `parts` parts reads them, and writes them to
// `target`, `target_pitch` bytes apart. A row is a sequence of chunks, and a chunk its parts one
// after the other. Zeros fill the last chunk.
void SplitRows(const FloatRows& rows, int parts, std::int64_t target_pitch,
               std::byte* target) noexcept;

}  // namespace halftone
