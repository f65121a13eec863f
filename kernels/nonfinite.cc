// A number is not finite when all bits of its exponent are set, so words are compared, not floats.
#include "kernels/nonfinite.h"

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/nonfinite.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The index of the first word with all bits of `exponent`; `count` if there is none.
template <typename Word>
std::int64_t FirstWithBits(const Word* words, std::int64_t count, Word exponent) {
  const hn::ScalableTag<Word> tag;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  const auto bits = hn::Set(tag, exponent);
  const auto hit = [&](std::int64_t i) {
    return hn::Eq(hn::And(hn::LoadU(tag, words + i), bits), bits);
  };
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {  // one test for four vectors
    const auto any =
        hn::Or(hn::Or(hit(i), hit(i + lanes)), hn::Or(hit(i + 2 * lanes), hit(i + 3 * lanes)));
    if (!hn::AllFalse(tag, any)) {
      break;
    }
  }
  for (; i < count; ++i) {
    if ((words[i] & exponent) == exponent) {
      return i;
    }
  }
  return count;
}

}  // namespace

std::int64_t FirstOf16(const void* data, std::int64_t count, std::uint16_t exponent) {
  return FirstWithBits(static_cast<const std::uint16_t*>(data), count, exponent);
}

std::int64_t FirstOf32(const void* data, std::int64_t count, std::uint32_t exponent) {
  return FirstWithBits(static_cast<const std::uint32_t*>(data), count, exponent);
}

std::int64_t FirstOf64(const void* data, std::int64_t count, std::uint64_t exponent) {
  return FirstWithBits(static_cast<const std::uint64_t*>(data), count, exponent);
}

// Whole vectors at a time from the first hit on; the rest by the caller.
std::int64_t SaturateVectors(std::uint16_t* words, std::int64_t count, std::int64_t* changed) {
  const hn::ScalableTag<std::uint16_t> tag;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  const auto exponent = hn::Set(tag, 0x7c00);
  const auto magnitude = hn::Set(tag, 0x7fff);
  const auto largest = hn::Set(tag, 0x7bff);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto word = hn::LoadU(tag, words + i);
    const auto bad = hn::Eq(hn::And(word, exponent), exponent);
    if (hn::AllFalse(tag, bad)) {
      continue;
    }
    const auto infinite = hn::Eq(hn::And(word, magnitude), exponent);
    const auto clipped = hn::Or(hn::AndNot(magnitude, word), largest);  // its sign, 65504
    hn::StoreU(hn::IfThenElse(bad, hn::IfThenElseZero(infinite, clipped), word), tag, words + i);
    *changed += static_cast<std::int64_t>(hn::CountTrue(tag, bad));
  }
  return i;
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(FirstOf16);
HWY_EXPORT(FirstOf32);
HWY_EXPORT(FirstOf64);
HWY_EXPORT(SaturateVectors);

std::optional<std::int64_t> FirstNonFinite(DType dtype, const void* data, std::int64_t count) {
  std::int64_t first = count;
  switch (dtype) {
    case DType::kFloat32:
      first = HWY_DYNAMIC_DISPATCH(FirstOf32)(data, count, 0x7f800000U);
      break;
    case DType::kFloat16:
      first = HWY_DYNAMIC_DISPATCH(FirstOf16)(data, count, 0x7c00U);
      break;
    case DType::kBFloat16:
      first = HWY_DYNAMIC_DISPATCH(FirstOf16)(data, count, 0x7f80U);
      break;
    case DType::kFloat64:
      first = HWY_DYNAMIC_DISPATCH(FirstOf64)(data, count, 0x7ff0000000000000U);
      break;
    default:
      break;
  }
  return first < count ? std::optional(first) : std::nullopt;
}

std::int64_t SaturateFloat16(void* data, std::int64_t count) {
  auto* words = static_cast<std::uint16_t*>(data);
  std::int64_t changed = 0;
  for (std::int64_t i = HWY_DYNAMIC_DISPATCH(SaturateVectors)(words, count, &changed); i < count;
       ++i) {
    if ((words[i] & 0x7c00U) == 0x7c00U) {
      const bool infinite = (words[i] & 0x7fffU) == 0x7c00U;
      words[i] = static_cast<std::uint16_t>(infinite ? (words[i] & 0x8000U) | 0x7bffU : 0U);
      ++changed;
    }
  }
  return changed;
}

}  // namespace halftone
#endif  // HWY_ONCE
