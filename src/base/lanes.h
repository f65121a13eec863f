// Loops over elements in lanes, for sums and maxima that the compiler computes for several elements
// at a time.
#pragma once

#include <array>
#include <cstddef>
#include <numeric>

namespace halftone {

inline constexpr std::size_t kLanes = 4;

using Lanes = std::array<double, kLanes>;

// The sum of the lanes, first to last.
inline double Total(const Lanes& lanes) {
  return std::accumulate(lanes.begin(), lanes.end(), 0.0);
}

// Calls add(lane, i) for every i below `count`, with lane i % kLanes. A reduction by lane has the
// same order of operations, and so the same bits, on every CPU.
template <typename Add>
void ForEachInLanes(std::size_t count, const Add& add) {
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      add(lane, i + lane);
    }
  }
  for (std::size_t i = whole; i < count; ++i) {
    add(i - whole, i);
  }
}

}  // namespace halftone
