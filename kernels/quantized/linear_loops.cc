#include <type_traits>

#include "kernels/quantized/linear.h"
#include "kernels/quantized/rounding.h"
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantized/linear_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/quantized/byte_rounding-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

using TagF = ByteFloatTag;
using Tag32 = ByteSumTag;
using VecF = ByteFloatVec;
using Vec32 = hn::Vec<Tag32>;

template <typename T>
Vec32 LoadWide(const T* x) {
  const hn::Rebind<T, Tag32> d;
  return hn::PromoteTo(Tag32(), hn::LoadU(d, x));
}

constexpr std::size_t kMostLanes = HWY_MAX_BYTES / sizeof(float);

// Calls body(i) for whole vectors; the rest goes through buffers of a vector.
template <typename From, typename To, typename Body>
void ForVectors(const From* x, To* y, std::int64_t count, const Body& body) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(TagF()));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    body(x + i, y + i, i);
  }
  if (i < count) {
    From from[kMostLanes] = {};
    To to[kMostLanes];
    for (std::int64_t k = 0; k < count - i; ++k) {
      from[k] = x[i + k];
    }
    body(from, to, i);
    for (std::int64_t k = 0; k < count - i; ++k) {
      y[i + k] = to[k];
    }
  }
}

// Scales and zero points of the vector from element i on. The arrays of a scale for each element
// are padded to a whole vector.
template <bool one>
VecF ScaleOf(const float* scale, std::int64_t i) {
  return one ? hn::Set(TagF(), *scale) : hn::LoadU(TagF(), scale + (one ? 0 : i));
}

template <bool one>
Vec32 ZeroOf(const std::int32_t* zero, std::int64_t i) {
  return one ? hn::Set(Tag32(), *zero) : hn::LoadU(Tag32(), zero + (one ? 0 : i));
}

// The first elements of bytes with one scale, 4 vectors at a time; returns their count.
template <typename T>
std::int64_t QuantizeBytes(const float* x, T* y, std::int64_t count, float scale,
                           std::int32_t zero_point) {
  constexpr bool kSigned = std::is_signed_v<T>;
  const TagF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const VecF divisor = hn::Set(d, scale);
  const ByteRounding rounding(zero_point + (kSigned ? 128 : 0), kSigned ? 0x80 : 0);
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const VecF v[4] = {hn::Div(hn::LoadU(d, x + i), divisor),
                       hn::Div(hn::LoadU(d, x + i + lanes), divisor),
                       hn::Div(hn::LoadU(d, x + i + 2 * lanes), divisor),
                       hn::Div(hn::LoadU(d, x + i + 3 * lanes), divisor)};
    rounding.Store(v, reinterpret_cast<std::uint8_t*>(y + i));
  }
  return i;
}

template <typename T, bool one>
void QuantizeCount(const float* x, void* y, std::int64_t count, const float* scale,
                   const std::int32_t* zero_point) {
  const TagF d;
  const hn::Rebind<T, Tag32> narrow;
  const auto low = hn::Set(Tag32(), static_cast<std::int32_t>(hwy::LowestValue<T>()));
  const auto high = hn::Set(Tag32(), static_cast<std::int32_t>(hwy::HighestValue<T>()));
  auto* to_all = static_cast<T*>(y);
  if constexpr (sizeof(T) == 1 && one) {
    const std::int64_t done = QuantizeBytes(x, to_all, count, *scale, *zero_point);
    x += done;
    to_all += done;
    count -= done;
  }
  ForVectors(x, to_all, count, [&](const float* from, T* to, std::int64_t i) {
    const Vec32 zero = ZeroOf<one>(zero_point, i);
    const auto least = hn::ConvertTo(d, hn::Sub(low, zero));
    const auto most = hn::ConvertTo(d, hn::Sub(high, zero));
    auto v = hn::Div(hn::LoadU(d, from), ScaleOf<one>(scale, i));
    v = hn::IfThenElse(hn::Gt(v, least), v, least);  // false for NaN
    v = hn::IfThenElse(hn::Lt(v, most), v, most);
    hn::StoreU(hn::DemoteTo(narrow, hn::Add(hn::NearestInt(v), zero)), narrow, to);
  });
}

template <typename T, bool one>
void DequantizeCount(const void* x, float* y, std::int64_t count, const float* scale,
                     const std::int32_t* zero_point) {
  const TagF d;
  ForVectors(static_cast<const T*>(x), y, count, [&](const T* from, float* to, std::int64_t i) {
    const auto difference = hn::Sub(LoadWide(from), ZeroOf<one>(zero_point, i));
    hn::StoreU(hn::Mul(hn::ConvertTo(d, difference), ScaleOf<one>(scale, i)), d, to);
  });
}

FloatRange RangeOf(const float* x, std::int64_t count) {
  const TagF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto low = hn::Zero(d);
  auto high = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(d, x + i);
    low = hn::IfThenElse(hn::Lt(v, low), v, low);  // false for NaN
    high = hn::IfThenElse(hn::Gt(v, high), v, high);
  }
  float ends[2][kMostLanes];
  hn::StoreU(low, d, ends[0]);
  hn::StoreU(high, d, ends[1]);
  FloatRange range;
  for (std::int64_t k = 0; k < lanes; ++k) {
    range.low = ends[0][k] < range.low ? ends[0][k] : range.low;
    range.high = ends[1][k] > range.high ? ends[1][k] : range.high;
  }
  for (; i < count; ++i) {
    range.low = x[i] < range.low ? x[i] : range.low;
    range.high = x[i] > range.high ? x[i] : range.high;
  }
  return range;
}

// Loops for int8, uint8, int16, uint16: with one scale, or a scale for each element.
#define HALFTONE_LOOPS(name, type)                                                   \
  void Quantize##name(const float* x, void* y, std::int64_t n, const float* s,       \
                      const std::int32_t* z) {                                       \
    QuantizeCount<type, true>(x, y, n, s, z);                                        \
  }                                                                                  \
  void QuantizeEach##name(const float* x, void* y, std::int64_t n, const float* s,   \
                          const std::int32_t* z) {                                   \
    QuantizeCount<type, false>(x, y, n, s, z);                                       \
  }                                                                                  \
  void Dequantize##name(const void* x, float* y, std::int64_t n, const float* s,     \
                        const std::int32_t* z) {                                     \
    DequantizeCount<type, true>(x, y, n, s, z);                                      \
  }                                                                                  \
  void DequantizeEach##name(const void* x, float* y, std::int64_t n, const float* s, \
                            const std::int32_t* z) {                                 \
    DequantizeCount<type, false>(x, y, n, s, z);                                     \
  }

HALFTONE_LOOPS(S8, std::int8_t)
HALFTONE_LOOPS(U8, std::uint8_t)
HALFTONE_LOOPS(S16, std::int16_t)
HALFTONE_LOOPS(U16, std::uint16_t)
#undef HALFTONE_LOOPS

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(RangeOf);

#define HALFTONE_EXPORT(function)                                     \
  HWY_EXPORT(function);                                               \
  void Call##function(auto x, auto y, std::int64_t n, const float* s, \
                      const std::int32_t* z) noexcept {               \
    HWY_DYNAMIC_DISPATCH(function)(x, y, n, s, z);                    \
  }
#define HALFTONE_EXPORT_ALL(name)     \
  HALFTONE_EXPORT(Quantize##name)     \
  HALFTONE_EXPORT(QuantizeEach##name) \
  HALFTONE_EXPORT(Dequantize##name)   \
  HALFTONE_EXPORT(DequantizeEach##name)

HALFTONE_EXPORT_ALL(S8)
HALFTONE_EXPORT_ALL(U8)
HALFTONE_EXPORT_ALL(S16)
HALFTONE_EXPORT_ALL(U16)
#undef HALFTONE_EXPORT_ALL
#undef HALFTONE_EXPORT

struct LoopRow {
  DType dtype;
  QuantizeLoop quantize, quantize_each;
  DequantizeLoop dequantize, dequantize_each;
};

constexpr LoopRow kLoops[] = {
    {DType::kInt8, CallQuantizeS8, CallQuantizeEachS8, CallDequantizeS8, CallDequantizeEachS8},
    {DType::kUInt8, CallQuantizeU8, CallQuantizeEachU8, CallDequantizeU8, CallDequantizeEachU8},
    {DType::kInt16, CallQuantizeS16, CallQuantizeEachS16, CallDequantizeS16, CallDequantizeEachS16},
    {DType::kUInt16, CallQuantizeU16, CallQuantizeEachU16, CallDequantizeU16,
     CallDequantizeEachU16},
};

const LoopRow* RowFor(DType dtype) {
  for (const LoopRow& row : kLoops) {
    if (row.dtype == dtype) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace

QuantizeLoop QuantizeLoopFor(DType dtype, bool one_scale) {
  const LoopRow* row = RowFor(dtype);
  return row == nullptr ? nullptr : one_scale ? row->quantize : row->quantize_each;
}

DequantizeLoop DequantizeLoopFor(DType dtype, bool one_scale) {
  const LoopRow* row = RowFor(dtype);
  return row == nullptr ? nullptr : one_scale ? row->dequantize : row->dequantize_each;
}

FloatRange RangeOfFloats(const float* x, std::int64_t count) noexcept {
  return HWY_DYNAMIC_DISPATCH(RangeOf)(x, count);
}

}  // namespace halftone
#endif  // HWY_ONCE
