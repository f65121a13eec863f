#include "kernels/transpose/interleave.h"

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/transpose/interleave.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T, int kRows>
void Interleave(std::int64_t columns, const T* source, std::int64_t stride, T* target) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t c = 0;
  for (; c + lanes <= columns; c += lanes) {
    const auto first = hn::LoadU(d, source + c);
    const auto second = hn::LoadU(d, source + stride + c);
    T* const to = target + c * kRows;
    if constexpr (kRows == 2) {
      hn::StoreInterleaved2(first, second, d, to);
    } else if constexpr (kRows == 3) {
      hn::StoreInterleaved3(first, second, hn::LoadU(d, source + 2 * stride + c), d, to);
    } else {
      hn::StoreInterleaved4(first, second, hn::LoadU(d, source + 2 * stride + c),
                            hn::LoadU(d, source + 3 * stride + c), d, to);
    }
  }
  for (; c < columns; ++c) {
    for (int r = 0; r < kRows; ++r) {
      target[c * kRows + r] = source[r * stride + c];
    }
  }
}

template <typename T, int kRows>
void Separate(std::int64_t columns, const T* source, T* target, std::int64_t stride) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> first;
  hn::Vec<decltype(d)> second;
  hn::Vec<decltype(d)> third;
  hn::Vec<decltype(d)> fourth;
  std::int64_t c = 0;
  for (; c + lanes <= columns; c += lanes) {
    const T* const from = source + c * kRows;
    if constexpr (kRows == 2) {
      hn::LoadInterleaved2(d, from, first, second);
    } else if constexpr (kRows == 3) {
      hn::LoadInterleaved3(d, from, first, second, third);
    } else {
      hn::LoadInterleaved4(d, from, first, second, third, fourth);
      hn::StoreU(fourth, d, target + 3 * stride + c);
    }
    hn::StoreU(first, d, target + c);
    hn::StoreU(second, d, target + stride + c);
    if constexpr (kRows > 2) {
      hn::StoreU(third, d, target + 2 * stride + c);
    }
  }
  for (; c < columns; ++c) {
    for (int r = 0; r < kRows; ++r) {
      target[r * stride + c] = source[c * kRows + r];
    }
  }
}

template <typename T>
void SeparateOf(std::int64_t rows, std::int64_t columns, const void* source, void* target,
                std::int64_t stride) {
  const T* from = static_cast<const T*>(source);
  T* to = static_cast<T*>(target);
  rows == 2   ? Separate<T, 2>(columns, from, to, stride)
  : rows == 3 ? Separate<T, 3>(columns, from, to, stride)
              : Separate<T, 4>(columns, from, to, stride);
}

void RunSeparate(std::int64_t element_bytes, std::int64_t rows, std::int64_t columns,
                 const void* source, void* target, std::int64_t stride) {
  if (element_bytes == 2) {
    return SeparateOf<std::uint16_t>(rows, columns, source, target, stride);
  }
  SeparateOf<std::uint32_t>(rows, columns, source, target, stride);
}

template <typename T>
void InterleaveOf(std::int64_t rows, std::int64_t columns, const void* source, std::int64_t stride,
                  void* target) {
  const T* from = static_cast<const T*>(source);
  T* to = static_cast<T*>(target);
  rows == 2   ? Interleave<T, 2>(columns, from, stride, to)
  : rows == 3 ? Interleave<T, 3>(columns, from, stride, to)
              : Interleave<T, 4>(columns, from, stride, to);
}

void RunInterleave(std::int64_t element_bytes, std::int64_t rows, std::int64_t columns,
                   const void* source, std::int64_t stride, void* target) {
  if (element_bytes == 2) {
    return InterleaveOf<std::uint16_t>(rows, columns, source, stride, target);
  }
  InterleaveOf<std::uint32_t>(rows, columns, source, stride, target);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(RunInterleave);
HWY_EXPORT(RunSeparate);

}  // namespace

bool HasInterleaveRows(std::int64_t rows, std::int64_t element_bytes) {
  return rows >= 2 && rows <= 4 && (element_bytes == 2 || element_bytes == 4);
}

void InterleaveRows(std::int64_t element_bytes, std::int64_t rows, std::int64_t columns,
                    const void* source, std::int64_t source_stride, void* target) noexcept {
  HWY_DYNAMIC_DISPATCH(RunInterleave)(element_bytes, rows, columns, source, source_stride, target);
}

void SeparateRows(std::int64_t element_bytes, std::int64_t rows, std::int64_t columns,
                  const void* source, void* target, std::int64_t target_stride) noexcept {
  HWY_DYNAMIC_DISPATCH(RunSeparate)(element_bytes, rows, columns, source, target, target_stride);
}

}  // namespace halftone
#endif  // HWY_ONCE
