// Transposition of a small matrix in vector registers.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

namespace halftone {

// A vector of 16 bytes of T, which every x86-64 has. It is a vector extension of gcc and clang,
// which suffices for loads, stores and interleavings; no instruction set beyond the baseline would
// help.
template <typename T>
struct MatrixRow {
  static constexpr std::size_t kSize = 16 / sizeof(T);
  using Vector [[gnu::vector_size(16)]] = T;
};

namespace tile_internal {

// {a[k], b[k], a[k+1], b[k+1], ...} for k = 0 (kHalf 0) or half the size (kHalf 1).
template <typename T, std::size_t kHalf, std::size_t... kLane>
typename MatrixRow<T>::Vector Interleave(typename MatrixRow<T>::Vector a,
                                         typename MatrixRow<T>::Vector b,
                                         std::index_sequence<kLane...>) {
  constexpr std::size_t kSize = MatrixRow<T>::kSize;
  return __builtin_shufflevector(
      a, b, static_cast<int>(kHalf * kSize / 2 + kLane / 2 + (kLane % 2) * kSize)...);
}

}  // namespace tile_internal

// target[c, r] = source[r, c] for r, c < N, where N elements fill 16 bytes. Strides are in
// elements.
//
// This takes N log2(N) interleavings: interleaving row i with row i + N/2 moves the top bit of the
// row number into the lowest bit of the column number, so that after log2(N) rounds both are
// exchanged.
template <typename T>
void TransposeTile(const T* source, std::int64_t source_stride, T* target,
                   std::int64_t target_stride) {
  constexpr std::size_t kSize = MatrixRow<T>::kSize;
  constexpr auto kLanes = std::make_index_sequence<kSize>();
  typename MatrixRow<T>::Vector rows[kSize];
  for (std::size_t r = 0; r < kSize; ++r) {
    std::memcpy(&rows[r], source + static_cast<std::int64_t>(r) * source_stride, 16);
  }
  for (std::size_t round = 1; round < kSize; round *= 2) {
    typename MatrixRow<T>::Vector mixed[kSize];
    for (std::size_t i = 0; i < kSize / 2; ++i) {
      mixed[2 * i] = tile_internal::Interleave<T, 0>(rows[i], rows[i + kSize / 2], kLanes);
      mixed[2 * i + 1] = tile_internal::Interleave<T, 1>(rows[i], rows[i + kSize / 2], kLanes);
    }
    std::memcpy(&rows, &mixed, sizeof rows);
  }
  for (std::size_t c = 0; c < kSize; ++c) {
    std::memcpy(target + static_cast<std::int64_t>(c) * target_stride, &rows[c], 16);
  }
}

}  // namespace halftone
