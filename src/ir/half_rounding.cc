#include "src/ir/half_rounding.h"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace halftone {
namespace {

constexpr std::uint32_t kSign = 0x80000000U;
constexpr std::uint32_t kInfinity = 0x7f800000U;
constexpr std::uint32_t kQuiet = 0x400000U;  // bit of a NaN

// Rounds a magnitude to a multiple of 2^bits, to nearest even; a carry moves into the exponent.
std::uint32_t RoundedBits(std::uint32_t magnitude, std::uint32_t bits) {
  const std::uint32_t odd = (magnitude >> bits) & 1U;
  return ((magnitude + (1U << (bits - 1)) - 1 + odd) >> bits) << bits;
}

float RoundedToFloat16(float value) {
  constexpr std::uint32_t kLeastNormal = 0x38800000U;  // 2^-14
  constexpr std::uint32_t kTooLarge = 0x47800000U;     // 2^16, to which 65520 and above round
  const auto word = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = word & ~kSign;
  const std::uint32_t normal = RoundedBits(magnitude, 13);
  // Numbers from 0.5 to 1 are multiples of 2^-24, as subnormal numbers of float16 are.
  const float tiny = (std::bit_cast<float>(magnitude) + 0.5F) - 0.5F;
  std::uint32_t rounded = magnitude < kLeastNormal ? std::bit_cast<std::uint32_t>(tiny) : normal;
  rounded = rounded >= kTooLarge ? kInfinity : rounded;
  rounded = magnitude > kInfinity ? magnitude | kQuiet : rounded;
  return std::bit_cast<float>(rounded | (word & kSign));
}

float RoundedToBFloat16(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = word & ~kSign;
  const std::uint32_t rounded =
      magnitude > kInfinity ? magnitude | kQuiet : RoundedBits(magnitude, 16);
  return std::bit_cast<float>(rounded | (word & kSign));
}

}  // namespace

void RoundToFloat16(std::span<const float> from, std::span<float> to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = RoundedToFloat16(from[i]);
  }
}

void RoundToBFloat16(std::span<const float> from, std::span<float> to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = RoundedToBFloat16(from[i]);
  }
}

}  // namespace halftone
