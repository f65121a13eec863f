#include "kernels/quantized/byte_result.h"

#include <cstring>
#include <type_traits>

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

using TagF = hn::Rebind<float, Tag32>;
using VecF = hn::Vec<TagF>;

// Saturated to T's range before, as whole numbers.
template <typename T>
void StoreNarrow(Vec32 v, T* y) {
  const hn::Rebind<T, Tag32> d;
  hn::StoreU(hn::DemoteTo(d, v), d, y);
}

inline void StoreNarrow(Vec32 v, std::int32_t* y) {
  hn::StoreU(v, Tag32(), y);
}

inline void StoreNarrow(VecF v, float* y) {
  hn::StoreU(v, TagF(), y);
}

// Element type of an epilogue without a residual operand.
struct NoResidual {};

// The vector of the residual from element j of a row on.
class ResidualLanes {
 public:
  explicit ResidualLanes(const ByteResidual& residual)
      : multiplier_(hn::Set(TagF(), residual.multiplier)),
        zero_(hn::Set(Tag32(), residual.zero_point)) {}

  template <typename R>
  [[nodiscard]] VecF Load(const R* from) const {
    const hn::Rebind<R, Tag32> narrow;
    const auto q = hn::Sub(hn::PromoteTo(Tag32(), hn::LoadU(narrow, from)), zero_);
    return hn::Mul(hn::ConvertTo(TagF(), q), multiplier_);
  }

  [[nodiscard]] VecF Load(const float* from) const { return hn::LoadU(TagF(), from); }

 private:
  VecF multiplier_;
  Vec32 zero_;
};

// The last columns of a row of the residual, in a buffer that has a whole vector.
template <typename R>
struct RestOf {
  R values[HWY_MAX_BYTES / sizeof(std::int32_t)] = {};

  RestOf(const R* from, int count) {
    std::memcpy(values, from, static_cast<std::size_t>(count) * sizeof(R));
  }
};

// Bounds and residual (ByteEpilogue::Apply) of the vector of column j on.
template <typename R>
VecF Finished(VecF v, const ByteEpilogue& epilogue, const ResidualLanes& lanes, const R* residual,
              int left) {
  const TagF d;
  VecF addend = hn::Zero(d);
  if constexpr (!std::is_same_v<R, NoResidual>) {
    addend = left >= static_cast<int>(hn::Lanes(d)) ? lanes.Load(residual)
                                                    : lanes.Load(RestOf<R>(residual, left).values);
    if (epilogue.place == ResidualPlace::kBefore) {
      v = hn::Add(v, addend);
    }
  }
  const auto low = hn::Set(d, epilogue.bounds.low);
  const auto high = hn::Set(d, epilogue.bounds.high);
  v = hn::IfThenElse(hn::Lt(v, low), low, v);  // false for NaN
  v = hn::IfThenElse(hn::Gt(v, high), high, v);
  if constexpr (!std::is_same_v<R, NoResidual>) {
    if (epilogue.place == ResidualPlace::kAfter) {
      v = hn::Add(v, addend);
    }
  }
  return v;
}

// R: element type of the residual; void without an epilogue.
template <typename T, typename R>
void StoreRow(const std::int32_t* sums, const ByteResult& result, std::int32_t row_sum,
              std::int64_t row, T* y) {
  const Tag32 d;
  const TagF df;
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
    const auto store = [&](auto values) {
      if (j + lanes <= result.columns) {
        StoreNarrow(values, y + j);
      } else {
        T rest[HWY_MAX_BYTES / sizeof(std::int32_t)];
        StoreNarrow(values, rest);
        std::memcpy(y + j, rest, static_cast<std::size_t>(result.columns - j) * sizeof(T));
      }
    };
    if constexpr (std::is_same_v<T, std::int32_t>) {
      store(v);
    } else {
      auto f = hn::Mul(hn::ConvertTo(df, v), hn::LoadU(df, result.multiplier + j));
      if constexpr (!std::is_void_v<R>) {
        const ByteEpilogue& epilogue = *result.epilogue;
        f = Finished(f, epilogue, ResidualLanes(epilogue.residual),
                     static_cast<const R*>(epilogue.residual.data) + row + j, result.columns - j);
      }
      if constexpr (std::is_same_v<T, float>) {
        store(f);
      } else {
        f = hn::IfThenElse(hn::Gt(f, least), f, least);  // false for NaN
        f = hn::IfThenElse(hn::Lt(f, most), f, most);
        store(hn::Add(hn::NearestInt(f), zero));
      }
    }
  }
}

template <typename T, typename R>
void StoreRows(const std::int32_t* sums, const ByteResult& result) {
  for (int i = 0; i < result.rows; ++i) {
    const std::int64_t row = i * result.row_stride;
    StoreRow<T, R>(sums + i * result.sums_stride, result,
                   result.b_zero != nullptr ? result.row_sums[i] : 0, row,
                   static_cast<T*>(result.y) + row);
  }
}

template <typename T>
void StoreByteRows(const std::int32_t* sums, const ByteResult& result) {
  if (!result.epilogue) {
    return StoreRows<T, void>(sums, result);
  }
  if (result.epilogue->place == ResidualPlace::kNone) {
    return StoreRows<T, NoResidual>(sums, result);
  }
  return result.epilogue->residual.dtype == DType::kInt8 ? StoreRows<T, std::int8_t>(sums, result)
                                                         : StoreRows<T, std::uint8_t>(sums, result);
}

void StoreFloatRows(const std::int32_t* sums, const ByteResult& result) {
  if (!result.epilogue) {
    return StoreRows<float, void>(sums, result);
  }
  return result.epilogue->place == ResidualPlace::kNone ? StoreRows<float, NoResidual>(sums, result)
                                                        : StoreRows<float, float>(sums, result);
}

void StoreTileRows(const std::int32_t* sums, const ByteResult& result) {
  switch (result.dtype) {
    case DType::kInt8:
      return StoreByteRows<std::int8_t>(sums, result);
    case DType::kUInt8:
      return StoreByteRows<std::uint8_t>(sums, result);
    case DType::kFloat32:
      return StoreFloatRows(sums, result);
    default:
      return StoreRows<std::int32_t, void>(sums, result);
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
