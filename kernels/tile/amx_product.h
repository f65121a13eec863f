// Product of 32 x 32 words on the tile registers of AMX, for the tiles of bfloat16 pairs and of
// bytes, which differ in one instruction.
//
// C has 2 x 2 registers of 16 x 16 words (0 to 3), A two of 16 rows by 16 steps (4, 5), B two of 16
// steps by 16 columns (6, 7): four products follow four loads. Registers always have their whole
// shape. Operands with fewer rows or steps are copied and padded with zeros, so that no byte
// outside them is read or written. Zero steps at the end of a block add zeros to the sums.
#pragma once

#if defined(__x86_64__)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/tile/amx_registers.h"

namespace halftone {

// Multiply::Run<c, a, b>() is the instruction that adds the product of registers a and b to c.
template <typename Multiply>
class AmxProduct : AmxRegisters {
 public:
  // Requires an open TileRegisterScope.
  static void Run(const AmxOperands& p) noexcept {
    ConfigureTileRegisters();
    const bool both_columns = p.columns > kHalf;
    if (p.rows > kHalf) {
      both_columns ? Whole<true, true>(p) : Whole<true, false>(p);
    } else {
      both_columns ? Whole<false, true>(p) : Whole<false, false>(p);
    }
  }

 private:
  // The inner loop: adds `chunks` times kAmxSteps steps; A must fill all rows of its registers.
  template <bool kBothRows, bool kBothColumns>
  static void AddWhole(const std::byte* a, std::int64_t a_pitch, const std::byte* b,
                       std::int64_t chunks) {
    const std::byte* lower = a + (kBothRows ? kHalf : 0) * a_pitch;
    for (; chunks > 0; --chunks) {
      Load<4>(a, a_pitch);
      Load<6>(b, kAmxPitch);
      Multiply::template Run<0, 4, 6>();
      if constexpr (kBothColumns) {
        Load<7>(b + kBytes, kAmxPitch);
        Multiply::template Run<1, 4, 7>();
      }
      if constexpr (kBothRows) {
        Load<5>(lower, a_pitch);
        Multiply::template Run<2, 5, 6>();
        if constexpr (kBothColumns) {
          Multiply::template Run<3, 5, 7>();
        }
      }
      a += kBytes;
      lower += kBytes;
      b += kAmxSteps * kAmxPitch;
    }
  }

  // Operands of a call.
  struct Sources {
    Rows upper;  // of A
    Rows lower;
    const std::byte* b;
  };

  // Adds `steps` steps, at most kAmxSteps, from `first` on.
  template <bool kBothRows, bool kBothColumns>
  static void Add(Sources& from, std::int64_t first, std::int64_t steps) {
    const std::byte* b = from.b + first * kAmxPitch;
    const auto rows = static_cast<int>(steps);
    from.upper.template LoadTo<4>(first * 4, steps * 4);
    Rows(b, kAmxPitch, rows, kBytes).template LoadTo<6>(0, kBytes);
    Multiply::template Run<0, 4, 6>();
    if constexpr (kBothColumns) {
      Rows(b + kBytes, kAmxPitch, rows, kBytes).template LoadTo<7>(0, kBytes);
      Multiply::template Run<1, 4, 7>();
    }
    if constexpr (kBothRows) {
      from.lower.template LoadTo<5>(first * 4, steps * 4);
      Multiply::template Run<2, 5, 6>();
      if constexpr (kBothColumns) {
        Multiply::template Run<3, 5, 7>();
      }
    }
  }

  template <bool kBothRows, bool kBothColumns>
  static void Whole(const AmxOperands& p) {
    const int upper = std::min(p.rows, kHalf);
    const int lower = p.rows - upper;
    std::byte* const below = p.c + upper * kAmxPitch;
    LoadSums<0>(p, upper, p.c);
    if constexpr (kBothColumns) {
      LoadSums<1>(p, upper, p.c + kBytes);
    }
    if constexpr (kBothRows) {
      LoadSums<2>(p, lower, below);
      if constexpr (kBothColumns) {
        LoadSums<3>(p, lower, below + kBytes);
      }
    }
    const std::int64_t end = p.steps % kAmxSteps;
    const std::int64_t least = end == 0 ? kBytes : end * 4;
    Sources from{.upper = Rows(p.a, p.a_pitch, upper, least),
                 .lower = Rows(p.a + upper * p.a_pitch, p.a_pitch, lower, least),
                 .b = p.b};
    std::int64_t first = 0;
    if (p.rows % kHalf == 0) {
      AddWhole<kBothRows, kBothColumns>(p.a, p.a_pitch, p.b, p.steps / kAmxSteps);
      first = p.steps - end;
    }
    for (; first < p.steps; first += kAmxSteps) {
      Add<kBothRows, kBothColumns>(from, first, std::min(kAmxSteps, p.steps - first));
    }
    StoreSums<0>(upper, p.c);
    if constexpr (kBothColumns) {
      StoreSums<1>(upper, p.c + kBytes);
    }
    if constexpr (kBothRows) {
      StoreSums<2>(lower, below);
      if constexpr (kBothColumns) {
        StoreSums<3>(lower, below + kBytes);
      }
    }
  }
};

}  // namespace halftone

#endif
