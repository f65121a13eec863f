#include "kernels/quantized/byte_loops.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu_isa.h"
#include "kernels/quantized/byte_lookup_vbmi.h"
#include "kernels/vector_capabilities.h"
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantized/byte_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/quantized/byte_rounding-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

using Tag32 = ByteSumTag;
using TagF = ByteFloatTag;
using Tag8 = ByteTag;
using Vec32 = hn::Vec<Tag32>;
using VecF = ByteFloatVec;
using Vec8 = hn::Vec<Tag8>;

// Vectors that are stored together.
constexpr int kAtOnce = 4;

constexpr std::size_t kMostLanes = HWY_MAX_BYTES / sizeof(std::int32_t);

std::int64_t LanesOf32() {
  return static_cast<std::int64_t>(hn::Lanes(Tag32()));
}

// Lanes of an operand, as whole steps.
class SourceLanes {
 public:
  explicit SourceLanes(const ByteSource& source)
      : data_(static_cast<const std::uint8_t*>(source.data)),
        step_(source.step),
        flip_(hn::Set(Tag8(), source.flip)),
        zero_(hn::Set(Tag32(), source.zero)),
        repeated_(hn::Zero(Tag32())) {
    if (step_ == 0) {
      repeated_ = Steps(hn::Set(Tag8(), *data_));
    }
  }

  // From element i on: a whole vector, or `count` elements.
  [[nodiscard]] HWY_INLINE Vec32 Load(std::int64_t i) const {
    return step_ == 0 ? repeated_ : Steps(hn::LoadU(Tag8(), data_ + i));
  }

  [[nodiscard]] Vec32 LoadRest(std::int64_t i, std::int64_t count) const {
    if (step_ == 0) {
      return repeated_;
    }
    std::uint8_t rest[kMostLanes] = {};
    std::memcpy(rest, data_ + i, static_cast<std::size_t>(count));
    return Steps(hn::LoadU(Tag8(), rest));
  }

 private:
  [[nodiscard]] HWY_INLINE Vec32 Steps(Vec8 bytes) const {
    return hn::Sub(hn::PromoteTo(Tag32(), hn::Xor(bytes, flip_)), zero_);
  }

  const std::uint8_t* data_;
  std::int64_t step_;
  Vec8 flip_;
  Vec32 zero_;
  Vec32 repeated_;
};

// A result from its values in steps of its scale.
class TargetLanes {
 public:
  explicit TargetLanes(const ByteTarget& target)
      : data_(static_cast<std::uint8_t*>(target.data)),
        rounding_(target.zero, target.flip),
        bounded_(target.bounds.IsBounded()),
        low_(hn::Set(TagF(), target.bounds.low)),
        high_(hn::Set(TagF(), target.bounds.high)) {}

  // V vectors from element i on.
  template <int V>
  HWY_INLINE void Store(VecF (&v)[V], std::int64_t i) const {
    Bound(v);
    rounding_.Store(v, data_ + i);
  }

  void StoreRest(VecF (&v)[1], std::int64_t i, std::int64_t count) const {
    std::uint8_t rest[kMostLanes];
    Bound(v);
    rounding_.Store(v, rest);
    std::memcpy(data_ + i, rest, static_cast<std::size_t>(count));
  }

 private:
  template <int V>
  HWY_INLINE void Bound(VecF (&v)[V]) const {
    for (int k = 0; bounded_ && k < V; ++k) {
      v[k] = hn::IfThenElse(hn::Lt(v[k], low_), low_, v[k]);  // false for NaN
      v[k] = hn::IfThenElse(hn::Gt(v[k], high_), high_, v[k]);
    }
  }

  std::uint8_t* data_;
  ByteRounding rounding_;
  bool bounded_;
  VecF low_, high_;
};

// Calls value(load) for each vector; `load(source)` gives the vector of an operand.
template <typename Value>
HWY_INLINE void ForVectorsOfBytes(const ByteTarget& y, std::int64_t count, const Value& value) {
  const TargetLanes target(y);
  const std::int64_t lanes = LanesOf32();
  const auto at = [&](std::int64_t i) HWY_ATTR {
    return value([&](const SourceLanes& source) HWY_ATTR { return source.Load(i); });
  };
  std::int64_t i = 0;
  for (; i + kAtOnce * lanes <= count; i += kAtOnce * lanes) {
    VecF v[kAtOnce] = {at(i), at(i + lanes), at(i + 2 * lanes), at(i + 3 * lanes)};
    target.Store(v, i);
  }
  for (; i + lanes <= count; i += lanes) {
    VecF v[1] = {at(i)};
    target.Store(v, i);
  }
  if (i < count) {
    const std::int64_t rest = count - i;
    VecF v[1] = {
        value([&](const SourceLanes& source) HWY_ATTR { return source.LoadRest(i, rest); })};
    target.StoreRest(v, i, rest);
  }
}

void AddPairs(const BytePairs& pairs) {
  const TagF d;
  const SourceLanes a(pairs.a);
  const SourceLanes b(pairs.b);
  const VecF a_ratio = hn::Set(d, pairs.a_ratio);
  const VecF b_ratio = hn::Set(d, pairs.b_ratio);
  ForVectorsOfBytes(pairs.y, pairs.count, [&](const auto& load) HWY_ATTR {
    return hn::Add(hn::Mul(hn::ConvertTo(d, load(a)), a_ratio),
                   hn::Mul(hn::ConvertTo(d, load(b)), b_ratio));
  });
}

void MultiplyPairs(const BytePairs& pairs) {
  const TagF d;
  const SourceLanes a(pairs.a);
  const SourceLanes b(pairs.b);
  const VecF multiplier = hn::Set(d, pairs.multiplier);
  // Products of steps, below 2^18, are exact in float32 as well.
  ForVectorsOfBytes(pairs.y, pairs.count, [&](const auto& load) HWY_ATTR {
    return hn::Mul(hn::Mul(hn::ConvertTo(d, load(a)), hn::ConvertTo(d, load(b))), multiplier);
  });
}

void Rescale(const ByteSource& x_source, const ByteTarget& y, float factor, std::int64_t count) {
  const TagF d;
  const SourceLanes x(x_source);
  const VecF ratio = hn::Set(d, factor);
  ForVectorsOfBytes(y, count, [&](const auto& load) HWY_ATTR {
    return hn::Mul(hn::ConvertTo(d, load(x)), ratio);
  });
}

// One shuffle for each part of the table. x - 16 p is below 16 for the bytes of part p alone: added
// to 112 with saturation, only those stay below 128, and a shuffle gives 0 for the others. It reads
// the lower four bits of an index.
void LookUp(const std::uint8_t* x, const std::uint8_t* table, std::uint8_t* y, std::int64_t count) {
  std::int64_t i = 0;
#if HALFTONE_CAN(IGNORE_INDEX_BITS)
  constexpr int kParts = 16;               // of a table
  constexpr std::int64_t kPartBytes = 16;  // of a part: what one shuffle looks up
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto part = hn::Set(d, static_cast<std::uint8_t>(kPartBytes));
  const auto above = hn::Set(d, std::uint8_t{0x70});
  for (; i + lanes <= count; i += lanes) {
    auto index = hn::LoadU(d, x + i);
    auto found = hn::Zero(d);
    for (int p = 0; p < kParts; ++p) {
      const auto values = hn::LoadDup128(d, table + p * kPartBytes);
      found = hn::Or(found, hn::TableLookupBytesOr0(values, hn::SaturatedAdd(index, above)));
      index = hn::Sub(index, part);
    }
    hn::StoreU(found, d, y + i);
  }
#endif
  for (; i < count; ++i) {
    y[i] = table[x[i]];
  }
}

// Sums of bytes that fit 16 bits.
constexpr std::int64_t kTapsIn16Bits = 257;

using Tag16 = hn::Rebind<std::uint16_t, Tag32>;
using Vec16 = hn::Vec<Tag16>;

// Adds V vectors of bytes, which `flip` makes unsigned.
template <int V, bool kFlip>
HWY_INLINE void AddBytes(const std::uint8_t* from, Vec8 flip, Vec16 (&sum)[V]) {
  const std::int64_t lanes = LanesOf32();
#pragma GCC unroll 4
  for (int k = 0; k < V; ++k) {
    auto bytes = hn::LoadU(Tag8(), from + k * lanes);
    if constexpr (kFlip) {
      bytes = hn::Xor(bytes, flip);
    }
    sum[k] = hn::Add(sum[k], hn::PromoteTo(Tag16(), bytes));
  }
}

// Sums of V vectors of channels from `channel` on, or of `count` channels, less the zero points of
// all taps.
template <int V, bool kFlip>
HWY_INLINE void SumTaps(const ByteWindowSums& window, std::int64_t channel, std::int64_t count,
                        Vec32 (&sum)[V]) {
  const Tag16 d16;
  const Tag32 d;
  const std::int64_t lanes = LanesOf32();
  const Vec8 flip = hn::Set(Tag8(), window.x.flip);
  std::uint8_t rest[kMostLanes] = {};
  Vec16 sum16[V];
#pragma GCC unroll 4
  for (int k = 0; k < V; ++k) {
    sum[k] = hn::Set(d, static_cast<std::int32_t>(-window.taps() * window.x.zero));
    sum16[k] = hn::Zero(d16);
  }
  const auto widen = [&]() HWY_ATTR {
#pragma GCC unroll 4
    for (int k = 0; k < V; ++k) {
      sum[k] = hn::Add(sum[k], hn::PromoteTo(d, sum16[k]));
      sum16[k] = hn::Zero(d16);
    }
  };
  std::int64_t taps = 0;  // in 16 bits
  for (std::int64_t ty = 0; ty < window.rows; ++ty) {
    const std::uint8_t* row = window.first + ty * window.row_pitch + channel;
    for (std::int64_t tx = 0; tx < window.columns; ++tx, ++taps) {
      if (taps == kTapsIn16Bits) {
        widen();
        taps = 0;
      }
      const std::uint8_t* from = row + tx * window.column_pitch;
      if (count < lanes) {
        std::memcpy(rest, from, static_cast<std::size_t>(count));
        from = rest;
      }
      AddBytes<V, kFlip>(from, flip, sum16);
    }
  }
  widen();
}

template <int V>
HWY_INLINE void AverageTaps(const ByteWindowSums& window, std::int64_t channel, std::int64_t count,
                            VecF (&v)[V]) {
  Vec32 sum[V];
  if (window.x.flip != 0) {
    SumTaps<V, true>(window, channel, count, sum);
  } else {
    SumTaps<V, false>(window, channel, count, sum);
  }
  for (int k = 0; k < V; ++k) {
    v[k] = hn::Mul(hn::ConvertTo(TagF(), sum[k]), hn::Set(TagF(), window.multiplier));
  }
}

void Average(const ByteWindowSums& window, const ByteTarget& y) {
  const TargetLanes target(y);
  const std::int64_t lanes = LanesOf32();
  std::int64_t channel = 0;
  for (; channel + kAtOnce * lanes <= window.channels; channel += kAtOnce * lanes) {
    VecF v[kAtOnce];
    AverageTaps(window, channel, lanes, v);
    target.Store(v, channel);
  }
  for (; channel < window.channels; channel += lanes) {
    const std::int64_t count = std::min(lanes, window.channels - channel);
    VecF v[1];
    AverageTaps(window, channel, count, v);
    if (count == lanes) {
      target.Store(v, channel);
    } else {
      target.StoreRest(v, channel, count);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

// Leaf 7, ECX.
constexpr std::uint32_t kVbmi = 1U << 1;

HWY_EXPORT(AddPairs);
HWY_EXPORT(MultiplyPairs);
HWY_EXPORT(Rescale);
HWY_EXPORT(LookUp);
HWY_EXPORT(Average);

}  // namespace

bool CanLookUpByVbmi() {
  return (DetectIsa() & kIsaAvx512Vnni) != 0 && ReadCpuFacts().Has({.leaf7_ecx = kVbmi});
}

void AddBytePairs(const BytePairs& pairs) noexcept {
  HWY_DYNAMIC_DISPATCH(AddPairs)(pairs);
}

void MultiplyBytePairs(const BytePairs& pairs) noexcept {
  HWY_DYNAMIC_DISPATCH(MultiplyPairs)(pairs);
}

void RescaleBytes(const ByteSource& x, const ByteTarget& y, float ratio,
                  std::int64_t count) noexcept {
  HWY_DYNAMIC_DISPATCH(Rescale)(x, y, ratio, count);
}

void LookUpBytes(const std::uint8_t* x, const std::uint8_t* table, std::uint8_t* y,
                 std::int64_t count) noexcept {
  static const bool kByVbmi = CanLookUpByVbmi();
  if (kByVbmi) {
    return LookUpBytesByVbmi(x, table, y, count);
  }
  HWY_DYNAMIC_DISPATCH(LookUp)(x, table, y, count);
}

void AverageByteWindow(const ByteWindowSums& window, const ByteTarget& y) noexcept {
  HWY_DYNAMIC_DISPATCH(Average)(window, y);
}

}  // namespace halftone
#endif  // HWY_ONCE
