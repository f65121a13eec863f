#include "kernels/tile/float_parts.h"

#include <algorithm>
#include <cstring>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tile/float_parts.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

// The first part of a float: a float with 8 significant bits.
template <class D, class V = hn::Vec<D>>
V FirstPart(D d, V value) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, value);
  const auto high = hn::Set(du, 0xFFFF0000U);
  const auto to_even = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1U));
  const auto rounded =
      hn::BitCast(d, hn::And(hn::Add(bits, hn::Add(to_even, hn::Set(du, 0x7FFFU))), high));
  const auto cut_off = hn::BitCast(d, hn::And(bits, high));
  const auto infinity = hn::BitCast(d, hn::Set(du, 0x7F800000U));
  // Infinities, and what rounds to one, stay as they begin.
  const auto part = hn::IfThenElse(hn::Lt(hn::Abs(rounded), infinity), rounded, cut_off);
  return hn::IfThenElse(hn::IsNaN(value), hn::BitCast(d, hn::Set(du, 0x7FC00000U)), part);
}

void Split(const float* from, std::int64_t count, std::span<BFloat16* const> parts) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto infinity = hn::Inf(d);
  for (std::int64_t i = 0; i < count; i += lanes) {
    auto rest = hn::LoadU(d, from + i);
    for (BFloat16* const part : parts) {
      const auto first = FirstPart(d, rest);
      StoreFloats(first, d, part + i);
      rest = hn::IfThenElseZero(hn::Lt(hn::Abs(rest), infinity), hn::Sub(rest, first));
    }
  }
}

}  // namespace
}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(Split);

// Elements `stride` apart, zero behind them.
void GatherChunk(const float* from, std::int64_t stride, std::int64_t count,
                 float (&chunk)[kPartChunk]) {
  for (std::int64_t k = 0; k < count; ++k) {
    chunk[k] = from[k * stride];
  }
  std::fill(chunk + count, chunk + kPartChunk, 0.0F);
}

}  // namespace

void SplitFloats(const float* from, std::int64_t count, std::span<BFloat16* const> parts) noexcept {
  HWY_DYNAMIC_DISPATCH(Split)(from, count, parts);
}

void SplitRows(const FloatRows& rows, int parts, std::int64_t target_pitch,
               std::byte* target) noexcept {
  const auto* from = reinterpret_cast<const float*>(rows.data);
  for (int row = 0; row < rows.rows; ++row) {
    const float* const elements = from + row * rows.row_stride;
    auto* to = reinterpret_cast<BFloat16*>(target + row * target_pitch);
    for (std::int64_t first = 0; first < rows.count; first += kPartChunk) {
      const std::int64_t count = std::min(kPartChunk, rows.count - first);
      const float* chunk = elements + first * rows.step_stride;
      float gathered[kPartChunk];
      if (rows.step_stride != 1 || count < kPartChunk) {
        GatherChunk(chunk, rows.step_stride, count, gathered);
        chunk = gathered;
      }
      BFloat16* targets[kMostFloatParts];
      for (int part = 0; part < parts; ++part, to += kPartChunk) {
        targets[part] = to;
      }
      SplitFloats(chunk, kPartChunk, {targets, static_cast<std::size_t>(parts)});
    }
  }
}

}  // namespace halftone
#endif  // HWY_ONCE
