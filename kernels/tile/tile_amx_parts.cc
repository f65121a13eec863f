#include "kernels/tile/tile_amx_parts.h"

#include "kernels/tile/amx_registers.h"
#include "kernels/tile/float_parts.h"

#if defined(__x86_64__)
#include <algorithm>
#include <utility>
#endif

namespace halftone {

#if defined(__x86_64__)

namespace {

static_assert(kAmxSteps == kPartChunk / 2);

// Loads a part of A or B only when it changes along PartProducts(kParts): 16 loads for 24
// instructions with three parts, 8 for 12 with two. B is as wide as the tile, with zeros at the
// end.
template <int kParts>
class PartsProduct : AmxRegisters {
 public:
  static void Run(const AmxOperands& p) noexcept {
    ConfigureTileRegisters();
    p.rows > kHalf ? Sum<true>(p) : Sum<false>(p);
  }

 private:
  static constexpr std::int64_t kPartOfB = kAmxSteps * kAmxPitch;

  template <bool kBothRows>
  static void Sum(const AmxOperands& p) {
    const int upper_rows = std::min(p.rows, kHalf);
    const int lower_rows = p.rows - upper_rows;
    std::byte* const below = p.c + kHalf * kAmxPitch;
    LoadSums<0>(p, upper_rows, p.c);
    LoadSums<1>(p, upper_rows, p.c + kBytes);
    if constexpr (kBothRows) {
      LoadSums<2>(p, lower_rows, below);
      LoadSums<3>(p, lower_rows, below + kBytes);
    }
    Rows upper(p.a, p.a_pitch, upper_rows, kBytes);
    Rows lower(p.a + upper_rows * p.a_pitch, p.a_pitch, lower_rows, kBytes);
    for (std::int64_t step = 0; step < p.steps; ++step) {
      AddChunk<kBothRows>(upper, lower, step * kParts * kBytes, p.b + step * kParts * kPartOfB,
                          std::make_index_sequence<PartProducts(kParts).size()>());
    }
    StoreSums<0>(upper_rows, p.c);
    StoreSums<1>(upper_rows, p.c + kBytes);
    if constexpr (kBothRows) {
      StoreSums<2>(lower_rows, below);
      StoreSums<3>(lower_rows, below + kBytes);
    }
  }

  // `a`: offset of the chunk in rows of A. `b`: the chunk of B.
  template <bool kBothRows, std::size_t... i>
  static void AddChunk(Rows& upper, Rows& lower, std::int64_t a, const std::byte* b,
                       std::index_sequence<i...> /*products*/) {
    (AddProduct<kBothRows, i>(upper, lower, a, b), ...);
  }

  template <bool kBothRows, std::size_t i>
  static void AddProduct(Rows& upper, Rows& lower, std::int64_t a, const std::byte* b) {
    constexpr PartProduct kNow = PartProducts(kParts)[i];
    constexpr PartProduct kBefore = i > 0 ? PartProducts(kParts)[i - 1] : PartProduct{-1, -1};
    if constexpr (kNow.a != kBefore.a) {
      upper.template LoadTo<4>(a + kNow.a * kBytes, kBytes);
      if constexpr (kBothRows) {
        lower.template LoadTo<5>(a + kNow.a * kBytes, kBytes);
      }
    }
    if constexpr (kNow.b != kBefore.b) {
      Load<6>(b + kNow.b * kPartOfB, kAmxPitch);
      Load<7>(b + kNow.b * kPartOfB + kBytes, kAmxPitch);
    }
    AmxMultiplyBf16::Run<0, 4, 6>();
    AmxMultiplyBf16::Run<1, 4, 7>();
    if constexpr (kBothRows) {
      AmxMultiplyBf16::Run<2, 5, 6>();
      AmxMultiplyBf16::Run<3, 5, 7>();
    }
  }
};

template <int kParts>
void Multiply(const TileArgs& args) noexcept {
  const TileRegisterScope scope;
  ForEachAmxPanel(args, PartsProduct<kParts>::Run);
}

}  // namespace

void TileAmxTwoParts(const TileArgs& args) noexcept {
  Multiply<2>(args);
}

void TileAmxThreeParts(const TileArgs& args) noexcept {
  Multiply<3>(args);
}

#else

void TileAmxTwoParts(const TileArgs&) noexcept {}

void TileAmxThreeParts(const TileArgs&) noexcept {}

#endif

}  // namespace halftone
