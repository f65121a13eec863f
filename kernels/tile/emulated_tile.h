// Loop over the elements of C for tiles in plain C++.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/tile/tile.h"

namespace halftone {

// Sets each element of C in the call to sum(a, b, steps, c). `a` is a row of A; `b` is a column of
// B, whose pairs of 16-bit elements are 2 * kColumns elements apart; `c` is the previous element,
// or 0 if C is overwritten. `Half` is the type of the elements of A and B.
template <typename Half, int kColumns, typename Sum>
void EmulateTile(const TileArgs& args, const Sum& sum) {
  for (int first = 0; first < args.columns; first += kColumns) {
    const auto* b = reinterpret_cast<const Half*>(static_cast<const std::byte*>(args.b) +
                                                  first / kColumns * args.panel_stride);
    const int columns = std::min(kColumns, args.columns - first);
    for (std::int64_t i = 0; i < args.rows; ++i) {
      const Half* a = static_cast<const Half*>(args.a) + 2 * i * args.lda;
      for (std::int64_t j = 0; j < columns; ++j) {
        float& c = args.c[i * kColumns + first + j];
        c = sum(a, b + 2 * j, args.steps, args.accumulate ? c : 0.0F);
      }
    }
  }
}

}  // namespace halftone
