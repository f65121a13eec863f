#include "kernels/quantized/byte_result.h"

#include <cstring>

#include "kernels/quantized/rounding.h"
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantized/byte_result.cc"
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
using Vec32 = hn::Vec<Tag32>;

// Saturated to T's range before, as whole numbers.
template <typename T>
void StoreNarrow(Vec32 v, T* y) {
  const hn::Rebind<T, Tag32> d;
  hn::StoreU(hn::DemoteTo(d, v), d, y);
}

inline void StoreNarrow(Vec32 v, std::int32_t* y) {
  hn::StoreU(v, Tag32(), y);
}

template <typename T>
void StoreRow(const std::int32_t* sums, const ByteResult& result, std::int32_t row_sum, T* y) {
  const Tag32 d;
  const hn::Rebind<float, Tag32> df;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  const IntegerRange range = RangeOfInteger(result.dtype);
  const auto least = hn::Set(df, static_cast<float>(range.low - result.y_zero));
  const auto most = hn::Set(df, static_cast<float>(range.high - result.y_zero));
  const auto zero = hn::Set(d, result.y_zero);
  for (int j = 0; j < result.columns; j += lanes) {
    auto v = hn::Add(hn::LoadU(d, sums + j), hn::LoadU(d, result.offset + j));
    if (result.b_zero != nullptr) {
      v = hn::Sub(v, hn::Mul(hn::LoadU(d, result.b_zero + j), hn::Set(d, row_sum)));
    }
    if constexpr (sizeof(T) == 1) {
      auto f = hn::Mul(hn::ConvertTo(df, v), hn::LoadU(df, result.multiplier + j));
      f = hn::IfThenElse(hn::Gt(f, least), f, least);  // false for NaN
      f = hn::IfThenElse(hn::Lt(f, most), f, most);
      v = hn::Add(hn::NearestInt(f), zero);
    }
    if (j + lanes <= result.columns) {
      StoreNarrow(v, y + j);
    } else {
      T rest[HWY_MAX_BYTES / sizeof(std::int32_t)];
      StoreNarrow(v, rest);
      std::memcpy(y + j, rest, static_cast<std::size_t>(result.columns - j) * sizeof(T));
    }
  }
}

template <typename T>
void StoreRows(const std::int32_t* sums, const ByteResult& result) {
  for (int i = 0; i < result.rows; ++i) {
    StoreRow(sums + i * result.sums_stride, result,
             result.b_zero != nullptr ? result.row_sums[i] : 0,
             static_cast<T*>(result.y) + i * result.row_stride);
  }
}

void StoreTileRows(const std::int32_t* sums, const ByteResult& result) {
  switch (result.dtype) {
    case DType::kInt8:
      return StoreRows<std::int8_t>(sums, result);
    case DType::kUInt8:
      return StoreRows<std::uint8_t>(sums, result);
    default:
      return StoreRows<std::int32_t>(sums, result);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(StoreTileRows);

}  // namespace

void StoreByteTile(const std::int32_t* sums, const ByteResult& result) noexcept {
  HWY_DYNAMIC_DISPATCH(StoreTileRows)(sums, result);
}

}  // namespace halftone
#endif  // HWY_ONCE
