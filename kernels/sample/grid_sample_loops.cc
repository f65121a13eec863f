// Channel loop of GridSample on a block of points: runs of pixels are gathered into the first-level
// cache, then weighted and added as vectors of double.
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sample/grid_sample_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <algorithm>
#include <cstring>

#include "kernels/sample/grid_windows.h"
#include "kernels/vector_capabilities.h"
#include "kernels/vector_count-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

using DoubleTag = hn::ScalableTag<double>;
using DoubleVec = hn::Vec<DoubleTag>;

template <typename T, int kRun>
HWY_INLINE void CopyRuns(const GridWindows& w, const T* plane, T* to) {
  for (std::int64_t i = 0; i < w.form.rows * w.stride; ++i) {
    std::memcpy(to + i * kRun, plane + w.offset[i], kRun * sizeof(T));
  }
}

// A vector of sums in double for a vector of pixels.
class PixelSums {
 public:
  HWY_INLINE PixelSums() : low_(hn::Zero(DoubleTag())), high_(hn::Zero(DoubleTag())) {}

  HWY_INLINE void Add(FloatVec v, const double* weights) {
    const DoubleTag dd;
#if !HALFTONE_CAN(SPLIT_VECTORS)
    low_ = hn::MulAdd(hn::PromoteTo(dd, v), hn::Load(dd, weights), low_);
#else
    const hn::Half<FloatTag> half;
    low_ = hn::MulAdd(hn::PromoteTo(dd, hn::LowerHalf(half, v)), hn::Load(dd, weights), low_);
    high_ = hn::MulAdd(hn::PromoteTo(dd, hn::UpperHalf(half, v)),
                       hn::Load(dd, weights + hn::Lanes(dd)), high_);
#endif
  }

  HWY_INLINE void Store(double* sums) const {
    const DoubleTag dd;
    hn::Store(low_, dd, sums);
#if HALFTONE_CAN(SPLIT_VECTORS)
    hn::Store(high_, dd, sums + hn::Lanes(dd));
#endif
  }

 private:
  DoubleVec low_;
  DoubleVec high_;
};

// sums[i * kRun + k]: of place k of the runs of point i, over rows.
template <typename T, int kRun, bool kMasked>
HWY_INLINE void AddRows(const GridWindows& w, const T* values, double* sums) {
  const FloatTag d;
  const hn::RebindToUnsigned<FloatTag> du;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t row = w.stride * kRun;
  for (std::int64_t j = 0; j < row; j += lanes) {
    PixelSums sum;
    for (std::int64_t at = j; at < w.form.rows * row; at += row) {
      FloatVec v = LoadFloats(d, values + at);
      if (kMasked) {
        v = hn::And(v, hn::BitCast(d, hn::Load(du, w.mask + at)));
      }
      sum.Add(v, w.weight + at);
    }
    sum.Store(sums + j);
  }
}

template <typename T, int kRun>
void Loop(const GridBlock& block) {
  const FloatTag d;
  const GridWindows& w = *block.windows;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  HWY_ALIGN T values[kGridBlockPixels];
  HWY_ALIGN double sums[kGridBlockPixels];
  HWY_ALIGN float results[kGridBlockPoints] = {};
  for (std::int64_t c = 0; c < block.channels; ++c) {
    CopyRuns<T, kRun>(w, static_cast<const T*>(block.x) + c * block.plane, values);
    if (w.is_whole) {
      AddRows<T, kRun, false>(w, values, sums);
    } else {
      AddRows<T, kRun, true>(w, values, sums);
    }
    for (std::int64_t i = 0; i < w.stride; ++i) {
      // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): AddRows() sets stride * kRun sums
      double sum = sums[i * kRun];
      for (int k = 1; k < kRun; ++k) {
        sum += sums[i * kRun + k];
      }
      results[i] = static_cast<float>(sum);
    }
    T* y = static_cast<T*>(block.y) + c * block.places;
    for (std::int64_t i = 0; i < w.count; i += lanes) {
      StoreCount(d, hn::Load(d, results + i), y + i, w.count - i);
    }
  }
}

template <typename T>
GridLoop LoopOf(std::int64_t run) {
  return run == 1 ? Loop<T, 1> : (run == 2 ? Loop<T, 2> : Loop<T, 4>);
}

GridLoop FindLoop(DType dtype, std::int64_t run) {
  return dtype == DType::kFloat32
             ? LoopOf<float>(run)
             : (dtype == DType::kFloat16 ? LoopOf<Float16>(run) : LoopOf<BFloat16>(run));
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(FindLoop);

GridLoop FindGridLoop(DType dtype, std::int64_t run) {
  return HWY_DYNAMIC_DISPATCH(FindLoop)(dtype, run);
}

}  // namespace halftone
#endif  // HWY_ONCE
