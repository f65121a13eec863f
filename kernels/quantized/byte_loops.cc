#include "kernels/quantized/byte_loops.h"

#include <cstring>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantized/byte_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Tag32 = hn::ScalableTag<std::int32_t>;
using TagF = hn::Rebind<float, Tag32>;
using Tag8 = hn::Rebind<std::uint8_t, Tag32>;  // a quarter of a vector
using Vec32 = hn::Vec<Tag32>;
using VecF = hn::Vec<TagF>;
using Vec8 = hn::Vec<Tag8>;

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

// Lanes of a result, from steps of its scale.
class TargetLanes {
 public:
  explicit TargetLanes(const ByteTarget& target)
      : data_(static_cast<std::uint8_t*>(target.data)),
        flip_(hn::Set(Tag8(), target.flip)),
        zero_(hn::Set(Tag32(), target.zero)),
        least_(hn::Set(TagF(), static_cast<float>(0 - target.zero))),
        most_(hn::Set(TagF(), static_cast<float>(255 - target.zero))),
        low_(hn::Set(TagF(), target.bounds.low)),
        high_(hn::Set(TagF(), target.bounds.high)) {}

  HWY_INLINE void Store(VecF v, std::int64_t i) const { hn::StoreU(BytesOf(v), Tag8(), data_ + i); }

  void StoreRest(VecF v, std::int64_t i, std::int64_t count) const {
    std::uint8_t rest[kMostLanes];
    hn::StoreU(BytesOf(v), Tag8(), rest);
    std::memcpy(data_ + i, rest, static_cast<std::size_t>(count));
  }

 private:
  [[nodiscard]] HWY_INLINE Vec8 BytesOf(VecF v) const {
    v = hn::IfThenElse(hn::Lt(v, low_), low_, v);  // false for NaN
    v = hn::IfThenElse(hn::Gt(v, high_), high_, v);
    v = hn::IfThenElse(hn::Gt(v, least_), v, least_);
    v = hn::IfThenElse(hn::Lt(v, most_), v, most_);
    return hn::Xor(hn::DemoteTo(Tag8(), hn::Add(hn::NearestInt(v), zero_)), flip_);
  }

  std::uint8_t* data_;
  Vec8 flip_;
  Vec32 zero_;
  VecF least_, most_, low_, high_;
};

// Calls value(load) for each vector; `load(source)` gives the vector of an operand.
template <typename Value>
HWY_INLINE void ForVectorsOfBytes(const ByteTarget& y, std::int64_t count, const Value& value) {
  const TargetLanes target(y);
  const std::int64_t lanes = LanesOf32();
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    target.Store(value([&](const SourceLanes& source) HWY_ATTR { return source.Load(i); }), i);
  }
  if (i < count) {
    const std::int64_t rest = count - i;
    target.StoreRest(
        value([&](const SourceLanes& source) HWY_ATTR { return source.LoadRest(i, rest); }), i,
        rest);
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

constexpr int kParts = 16;      // of a table
constexpr int kPartBytes = 16;  // of a part: what one shuffle looks up

// One shuffle for each part of the table. x - 16 p is below 16 for the bytes of part p alone: added
// to 112 with saturation, only those stay below 128, and a shuffle gives 0 for the others.
void LookUp(const std::uint8_t* x, const std::uint8_t* table, std::uint8_t* y, std::int64_t count) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
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

// Sum of a vector of channels from `channel` on, less the zero points of all taps.
Vec32 SumOfTaps(const ByteWindowSums& window, std::int64_t channel, std::int64_t count) {
  const hn::Rebind<std::uint16_t, Tag32> d16;
  const Tag32 d;
  const std::int64_t lanes = LanesOf32();
  // Sums of 257 bytes fit 16 bits.
  constexpr std::int64_t kTapsIn16Bits = 257;
  const Vec8 flip = hn::Set(Tag8(), window.x.flip);
  Vec32 sum = hn::Set(d, static_cast<std::int32_t>(-window.taps * window.x.zero));
  std::uint8_t rest[kMostLanes] = {};
  for (std::int64_t first = 0; first < window.taps; first += kTapsIn16Bits) {
    const std::int64_t last =
        first + kTapsIn16Bits < window.taps ? first + kTapsIn16Bits : window.taps;
    auto sum16 = hn::Zero(d16);
    for (std::int64_t tap = first; tap < last; ++tap) {
      const std::uint8_t* from = window.rows[tap] + channel;
      if (count < lanes) {
        std::memcpy(rest, from, static_cast<std::size_t>(count));
        from = rest;
      }
      sum16 = hn::Add(sum16, hn::PromoteTo(d16, hn::Xor(hn::LoadU(Tag8(), from), flip)));
    }
    sum = hn::Add(sum, hn::PromoteTo(d, sum16));
  }
  return sum;
}

void Average(const ByteWindowSums& window, const ByteTarget& y) {
  const TagF d;
  const TargetLanes target(y);
  const VecF multiplier = hn::Set(d, window.multiplier);
  const std::int64_t lanes = LanesOf32();
  std::int64_t channel = 0;
  for (; channel + lanes <= window.channels; channel += lanes) {
    target.Store(hn::Mul(hn::ConvertTo(d, SumOfTaps(window, channel, lanes)), multiplier), channel);
  }
  if (channel < window.channels) {
    const std::int64_t rest = window.channels - channel;
    target.StoreRest(hn::Mul(hn::ConvertTo(d, SumOfTaps(window, channel, rest)), multiplier),
                     channel, rest);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(AddPairs);
HWY_EXPORT(MultiplyPairs);
HWY_EXPORT(Rescale);
HWY_EXPORT(LookUp);
HWY_EXPORT(Average);

}  // namespace

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
  HWY_DYNAMIC_DISPATCH(LookUp)(x, table, y, count);
}

void AverageByteWindow(const ByteWindowSums& window, const ByteTarget& y) noexcept {
  HWY_DYNAMIC_DISPATCH(Average)(window, y);
}

}  // namespace halftone
#endif  // HWY_ONCE
