#include "kernels/quantized/byte_result.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernels/quantized/rounding.h"
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantized/byte_result.cc"
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
using Vec32 = hn::Vec<Tag32>;
using VecF = ByteFloatVec;

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

// Most vectors of columns that are stored together.
constexpr int kAtOnce = 2;

// Bounds and residual (ByteEpilogue::Apply). R: element type of the residual; void: no epilogue.
template <typename R>
class Finish {
 public:
  explicit Finish(const ByteEpilogue& epilogue)
      : residual_(static_cast<const R*>(epilogue.residual.data)),
        before_(epilogue.place == ResidualPlace::kBefore),
        lanes_(epilogue.residual),
        low_(hn::Set(TagF(), epilogue.bounds.low)),
        high_(hn::Set(TagF(), epilogue.bounds.high)) {}

  // `count` elements from `at` on, counted from the first of y; those of a whole vector, or fewer.
  HWY_INLINE VecF operator()(VecF v, std::int64_t at, int count) const {
    if constexpr (std::is_same_v<R, NoResidual>) {
      return Bounded(v);
    } else {
      const VecF addend = Load(at, count);
      return before_ ? Bounded(hn::Add(v, addend)) : hn::Add(Bounded(v), addend);
    }
  }

 private:
  [[nodiscard]] HWY_INLINE VecF Bounded(VecF v) const {
    v = hn::IfThenElse(hn::Lt(v, low_), low_, v);  // false for NaN
    return hn::IfThenElse(hn::Gt(v, high_), high_, v);
  }

  [[nodiscard]] HWY_INLINE VecF Load(std::int64_t at, int count) const {
    if (count >= static_cast<int>(hn::Lanes(TagF()))) {
      return lanes_.Load(residual_ + at);
    }
    R rest[HWY_MAX_BYTES / sizeof(float)] = {};
    std::memcpy(rest, residual_ + at, static_cast<std::size_t>(count) * sizeof(R));
    return lanes_.Load(rest);
  }

  const R* residual_;
  bool before_;
  ResidualLanes lanes_;
  VecF low_, high_;
};

template <>
class Finish<void> {
 public:
  explicit Finish(const ByteEpilogue& /*epilogue*/) {}

  HWY_INLINE VecF operator()(VecF v, std::int64_t /*at*/, int /*count*/) const { return v; }
};

// Results of type T from their values in steps.
template <typename T>
class Rounding {
 public:
  explicit Rounding(std::int32_t y_zero)
      : rounding_(y_zero + (std::is_signed_v<T> ? 128 : 0), std::is_signed_v<T> ? 0x80 : 0) {}

  template <int V>
  HWY_INLINE void Store(const VecF (&v)[V], T* y) const {
    rounding_.Store(v, reinterpret_cast<std::uint8_t*>(y));
  }

 private:
  ByteRounding rounding_;
};

template <>
class Rounding<float> {
 public:
  explicit Rounding(std::int32_t /*y_zero*/) {}

  template <int V>
  HWY_INLINE void Store(const VecF (&v)[V], float* y) const {
    for (int k = 0; k < V; ++k) {
      hn::StoreU(v[k], TagF(), y + k * static_cast<std::int64_t>(hn::Lanes(TagF())));
    }
  }
};

// Rows that are stored column by column: the terms of columns stay in registers.
struct RowBlock {
  int first = 0;
  int last = 0;
};

constexpr int kRowsOfBlock = 16;

// V vectors of columns from j on, of which `count` columns are stored.
template <typename T, typename R, int V, bool kWhole>
HWY_INLINE void StoreColumns(const std::int32_t* sums, const ByteResult& result, RowBlock rows,
                             int j, int count) {
  const Tag32 d;
  const TagF df;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  constexpr bool kIntegers = std::is_same_v<T, std::int32_t>;
  const ByteEpilogue none;
  const Finish<R> finish(result.epilogue ? *result.epilogue : none);
  const Rounding<std::conditional_t<kIntegers, float, T>> rounding(result.y_zero);
  Vec32 offset[V];
  Vec32 b_zero[V];
  VecF multiplier[V];
#pragma GCC unroll 2
  for (int k = 0; k < V; ++k) {
    const int at = j + k * lanes;
    offset[k] = hn::LoadU(d, result.offset + at);
    b_zero[k] = result.b_zero != nullptr ? hn::LoadU(d, result.b_zero + at) : hn::Zero(d);
    multiplier[k] = kIntegers ? hn::Zero(df) : hn::LoadU(df, result.multiplier + at);
  }
  for (int i = rows.first; i < rows.last; ++i) {
    const std::int64_t at = i * result.row_stride + j;
    T* y = static_cast<T*>(result.y) + at;
    T rest[HWY_MAX_BYTES / sizeof(std::int32_t)];
    Vec32 v[V];
#pragma GCC unroll 2
    for (int k = 0; k < V; ++k) {
      const int first = k * lanes;
      v[k] = hn::Add(hn::LoadU(d, sums + i * result.sums_stride + j + first), offset[k]);
      if (result.b_zero != nullptr) {
        v[k] = hn::Sub(v[k], hn::Mul(b_zero[k], hn::Set(d, result.row_sums[i])));
      }
    }
    if constexpr (kIntegers) {
#pragma GCC unroll 2
      for (int k = 0; k < V; ++k) {
        hn::StoreU(v[k], d, (kWhole ? y : rest) + k * lanes);
      }
    } else {
      VecF f[V];
#pragma GCC unroll 2
      for (int k = 0; k < V; ++k) {
        const int first = k * lanes;
        f[k] = finish(hn::Mul(hn::ConvertTo(df, v[k]), multiplier[k]), at + first, count - first);
      }
      rounding.Store(f, kWhole ? y : rest);
    }
    if constexpr (!kWhole) {
      std::memcpy(y, rest, static_cast<std::size_t>(count) * sizeof(T));
    }
  }
}

template <typename T, typename R>
void StoreRows(const std::int32_t* sums, const ByteResult& result) {
  const auto lanes = static_cast<int>(hn::Lanes(Tag32()));
  for (int first = 0; first < result.rows; first += kRowsOfBlock) {
    const RowBlock rows{first, std::min(first + kRowsOfBlock, result.rows)};
    int j = 0;
    for (; j + kAtOnce * lanes <= result.columns; j += kAtOnce * lanes) {
      StoreColumns<T, R, kAtOnce, true>(sums, result, rows, j, kAtOnce * lanes);
    }
    for (; j + lanes <= result.columns; j += lanes) {
      StoreColumns<T, R, 1, true>(sums, result, rows, j, lanes);
    }
    if (j < result.columns) {
      StoreColumns<T, R, 1, false>(sums, result, rows, j, result.columns - j);
    }
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
