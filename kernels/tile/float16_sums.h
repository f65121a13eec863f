// Sums of products in float16 over a bounded number of steps of a tile, then in float32.
#pragma once

#include <cstdint>

namespace halftone {

// Lengths of sums in float16. Even and odd elements of pairs (TileStorage::kFloat16Pairs) are
// summed separately: each `chain` products by fused multiply-adds from zero, then `chains` of these
// sums by additions from zero. The totals of even and odd elements are added in float32, and their
// sum is added to C.
//
// Error: a product passes `roundings()` roundings of 2^-11 relative, or 2^-25 absolute where the
// result of a multiply-add is subnormal (ProductError; the first addition, to zero, is exact).
struct Float16Sums {
  int chain = 0;   // steps
  int chains = 0;  // sums that are added up before float32

  [[nodiscard]] constexpr int roundings() const { return chain == 0 ? 0 : chain + chains - 1; }

  [[nodiscard]] constexpr std::int64_t steps() const { return std::int64_t{chain} * chains; }
};

// The sums of high_performance: at most 23 roundings, an error of 0.0114 sum |a b|. (The other
// variant of this mode rounds both operands to bfloat16, with an error of 0.0078 sum |a b|.) 128
// multiply-adds take 8 additions and 8 conversions, an eighth of the time. One sum of 64 products
// would cost as much and have a bound of 64 roundings.
inline constexpr Float16Sums kFastFloat16Sums{.chain = 16, .chains = 8};

}  // namespace halftone
