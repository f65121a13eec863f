#include "src/ir/slice_groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace halftone {
namespace {

template <typename T>
int Sign(T a, T b) {
  return static_cast<int>(a > b) - static_cast<int>(a < b);
}

// Below 0, 0 or above 0 as element `a` is less than, equal to or greater than element `b`.
int CompareElements(DType dtype, const void* data, std::int64_t a, std::int64_t b) {
  if (!IsFloating(dtype)) {
    const std::int64_t left = IntegerAt(dtype, data, a);
    const std::int64_t right = IntegerAt(dtype, data, b);
    return dtype == DType::kUInt64
               ? Sign(static_cast<std::uint64_t>(left), static_cast<std::uint64_t>(right))
               : Sign(left, right);
  }
  const double left = DoubleAt(dtype, data, a);
  const double right = DoubleAt(dtype, data, b);
  return std::isnan(left) || std::isnan(right) ? Sign(std::isnan(left), std::isnan(right))
                                               : Sign(left, right);
}

int CompareSlices(const SliceSet& set, const void* data, std::int64_t a, std::int64_t b) {
  for (std::int64_t o = 0; o < set.outer; ++o) {
    for (std::int64_t k = 0; k < set.inner; ++k) {
      const int sign = CompareElements(set.dtype, data, (o * set.length + a) * set.inner + k,
                                       (o * set.length + b) * set.inner + k);
      if (sign != 0) {
        return sign;
      }
    }
  }
  return 0;
}

}  // namespace

SliceSet SliceSetOf(const Attributes& attributes, const TensorType& x) {
  SliceSet set{.dtype = x.dtype, .sorted = attributes.Int("sorted", 1) != 0};
  if (!attributes.Has("axis")) {
    set.length = x.shape.ElementCount();
    return set;
  }
  const int axis = NormalizeAxis(attributes.Int("axis", 0), x.shape.rank());
  set.outer = x.shape.ElementCount(0, axis);
  set.length = x.shape[axis];
  set.inner = x.shape.ElementCount(axis + 1, x.shape.rank());
  return set;
}

std::int64_t GroupSlices(const SliceSet& set, const void* data, std::int64_t* order,
                         SliceGroup* groups) noexcept {
  std::iota(order, order + set.length, std::int64_t{0});
  std::sort(order, order + set.length, [&](std::int64_t a, std::int64_t b) {
    const int sign = CompareSlices(set, data, a, b);
    return sign != 0 ? sign < 0 : a < b;
  });
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < set.length; ++i) {
    if (i == 0 || CompareSlices(set, data, order[i - 1], order[i]) != 0) {
      groups[count++] = {i, 0};
    }
    ++groups[count - 1].count;
  }
  if (!set.sorted) {
    std::sort(groups, groups + count, [&](const SliceGroup& a, const SliceGroup& b) {
      return order[a.begin] < order[b.begin];
    });
  }
  return count;
}

}  // namespace halftone
