// Lengths of sums of products in float16, over a bounded number of steps of a tile, before sums in
// float32.
#pragma once

#include <cstdint>

namespace halftone {

// Lengths of sums in float16. A tile sums the even and the odd elements of pairs
// (TileStorage::kFloat16Pairs) separately: `chain` products by fused multiply-adds from zero, then
// `chains` such sums by additions from zero. It adds the totals of even and odd elements in
// float32, and adds the result to C.
//
// Error: a product passes `roundings()` roundings of 2^-11 relative, or 2^-25 absolute where the
// result of a multiply-add is subnormal (ProductError). The first addition, to zero, is exact.
struct Float16Sums {
  int chain = 0;   // steps; 0: no sums in float16
  int chains = 0;  // sums of `chain` products before float32

  [[nodiscard]] constexpr int roundings() const { return chain == 0 ? 0 : chain + chains - 1; }

  [[nodiscard]] constexpr std::int64_t steps() const { return std::int64_t{chain} * chains; }
};

// The sums of high_performance: at most 23 roundings, an error of 0.0114 sum |a b|. (The other
// variant of this mode rounds both operands to bfloat16, with an error of 0.0078 sum |a b|.) For
// 128 multiply-adds, 8 additions and 8 conversions take an eighth of the time. One sum of 64
// products would cost as much and have a bound of 64 roundings.
inline constexpr Float16Sums kFastFloat16Sums{.chain = 16, .chains = 8};

}  // namespace halftone
