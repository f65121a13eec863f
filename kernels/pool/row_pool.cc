#include "kernels/pool/row_pool.h"

#include <algorithm>
#include <limits>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/row_pool.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include "kernels/pool/pool_join-inl.h"
#include "kernels/vector_capabilities.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

static_assert(kMaxLanes <= RowPool::kMostLanes);

// A vector of row elements from p on, kStride apart; 0: `stride` apart, of which `count` are read.
template <int kStride, class D, typename Lane>
HWY_INLINE hn::Vec<D> LoadApart(D d, const Lane* p, std::int64_t stride, std::int64_t count) {
  if constexpr (kStride == 1) {
    return hn::LoadU(d, p);
  } else {
#if HALFTONE_CAN(SPLIT_VECTORS)
    if constexpr (kStride == 2) {
      return hn::ConcatEven(d, hn::LoadU(d, p + hn::Lanes(d)), hn::LoadU(d, p));
    }
#endif
    HWY_ALIGN Lane lanes[HWY_MAX_BYTES / sizeof(Lane)] = {};
    const auto wanted = std::min(count, static_cast<std::int64_t>(hn::Lanes(d)));
    for (std::int64_t i = 0; i < wanted; ++i) {
      lanes[i] = p[i * stride];
    }
    return hn::Load(d, lanes);
  }
}

// The vector at `column` of all the rows; its first `count` lanes are wanted.
template <class Rule, typename T>
HWY_INLINE hn::Vec<typename Rule::Tag> Joined(std::span<const std::int64_t> sources, const T* x,
                                              std::int64_t readable, std::int64_t column,
                                              std::int64_t count) {
  const typename Rule::Tag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto sum = Rule::Start(d);
  for (const std::int64_t source : sources) {
    const std::int64_t at = source + column;
    sum = Rule::Join(sum, Rule::Load(d, x + at, at + lanes <= readable ? lanes : count));
  }
  return sum;
}

template <class Rule, typename T>
HWY_INLINE void JoinRows(const RowPool& pool, std::span<const std::int64_t> sources,
                         const PlaneToPool& plane, typename Rule::Lane* row) {
  const typename Rule::Tag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const T* x = static_cast<const T*>(plane.x);
  row += pool.pad;
  std::int64_t i = 0;
  for (; i + lanes <= pool.input_width; i += lanes) {
    hn::StoreU(Joined<Rule>(sources, x, plane.readable, i, lanes), d, row + i);
  }
  if (i < pool.input_width) {
    // The last vector ends with the row, where the row has that many elements.
    const std::int64_t first = std::max<std::int64_t>(0, pool.input_width - lanes);
    const std::int64_t count = pool.input_width - first;
    Rule::StoreLanes(d, Joined<Rule>(sources, x, plane.readable, first, count), row + first, count);
  }
}

// The output from `column` on, of a row.
template <class Rule, int kStride, typename T>
HWY_INLINE void PoolColumns(const RowPool& pool, const typename Rule::Lane* row, float row_count,
                            std::int64_t column, T* y) {
  const typename Rule::Tag d;
  const auto* from = row + column * pool.stride;
  const std::int64_t count = pool.width - column;
  auto sum = Rule::Start(d);
  for (std::int64_t t = 0; t < pool.taps; ++t) {
    sum = Rule::Join(sum, LoadApart<kStride>(d, from + t * pool.dilation, pool.stride, count));
  }
  if constexpr (Rule::kAverage) {
    const FloatVec columns = LoadCount(d, pool.column_counts.data() + column, count);
    sum = hn::Div(sum, hn::Mul(hn::Set(d, row_count), columns));  // whole numbers: exact
  }
  Rule::Store(d, sum, y + column, count);
}

template <class Rule, int kStride, typename T>
HWY_INLINE void PoolRow(const RowPool& pool, const typename Rule::Lane* row, float row_count,
                        T* y) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(typename Rule::Tag()));
  std::int64_t column = 0;
  for (; column + lanes <= pool.width; column += lanes) {
    PoolColumns<Rule, kStride>(pool, row, row_count, column, y);
  }
  if (column < pool.width) {
    PoolColumns<Rule, kStride>(pool, row, row_count, std::max<std::int64_t>(0, pool.width - lanes),
                               y);
  }
}

template <class Rule, typename T>
void PoolRows(const RowPool& pool, const PlaneToPool& plane, float* scratch) {
  auto* row = reinterpret_cast<typename Rule::Lane*>(scratch);
  std::int64_t begin = 0;
  for (std::size_t r = 0; r < pool.ends.size(); ++r) {
    const std::int64_t end = pool.ends[r];
    const auto sources = pool.sources.subspan(static_cast<std::size_t>(begin),
                                              static_cast<std::size_t>(end - begin));
    JoinRows<Rule, T>(pool, sources, plane, row);
    T* to = static_cast<T*>(plane.y) + static_cast<std::int64_t>(r) * pool.width;
    const float count = Rule::kAverage ? pool.row_counts[r] : 1;
    if (pool.stride == 1) {
      PoolRow<Rule, 1>(pool, row, count, to);
    } else if (pool.stride == 2) {
      PoolRow<Rule, 2>(pool, row, count, to);
    } else {
      PoolRow<Rule, 0>(pool, row, count, to);
    }
    begin = end;
  }
}

template <typename T>
void PoolRowsOf(const RowPool& pool, const PlaneToPool& plane, float* row) {
  if (pool.average) {
    PoolRows<Sums<T>, T>(pool, plane, row);
  } else {
    PoolRows<MaximaOf<T>, T>(pool, plane, row);
  }
}

void Pool(const RowPool& pool, const PlaneToPool& plane, float* row) {
  if (plane.dtype == DType::kFloat16) {
    PoolRowsOf<Float16>(pool, plane, row);
  } else if (plane.dtype == DType::kBFloat16) {
    PoolRowsOf<BFloat16>(pool, plane, row);
  } else {
    PoolRowsOf<float>(pool, plane, row);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(Pool);

}  // namespace

std::int64_t RowPool::row_elements() const {
  // Behind the last element that is wanted, up to three vectors are read where it is every one or
  // every second. Keys (max_keys-inl.h) take half the room.
  const std::int64_t wanted = (width - 1) * stride + (taps - 1) * dilation + 1;
  return std::max(wanted + 4 * kMostLanes, pad + input_width);
}

void PrepareRow(const RowPool& pool, DType dtype, float* row) noexcept {
  const bool starts_at_zero = pool.average || dtype != DType::kFloat32;  // of MaxKeys, too
  if (starts_at_zero) {
    std::fill_n(row, pool.row_elements(), 0.0F);
  } else {
    std::fill_n(row, pool.row_elements(), -std::numeric_limits<float>::infinity());
  }
}

void PoolPlane(const RowPool& pool, const PlaneToPool& plane, float* row) noexcept {
  HWY_DYNAMIC_DISPATCH(Pool)(pool, plane, row);
}

}  // namespace halftone
#endif  // HWY_ONCE
