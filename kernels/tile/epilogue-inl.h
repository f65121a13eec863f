// Epilogue on vectors of float32. Included once per Highway target, behind vector_storage-inl.h.
#if defined(HALFTONE_KERNELS_TILE_EPILOGUE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_TILE_EPILOGUE_INL_H_
#undef HALFTONE_KERNELS_TILE_EPILOGUE_INL_H_
#else
#define HALFTONE_KERNELS_TILE_EPILOGUE_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/tile/epilogue.h"
#include "kernels/vector_capabilities.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {

// Loads min(count, lanes) elements from `p`; the other lanes are zero. Reads nothing behind the
// `count` elements.
template <typename T>
HWY_INLINE hn::Vec<hn::ScalableTag<float>> LoadUpTo(const T* p, std::size_t count) {
  const FloatTag d;
  return HWY_LIKELY(count >= hn::Lanes(d)) ? LoadFloats(d, p) : LoadFirst(d, p, count);
}

// max(v, low) and min(v, high); NaN stays NaN. If an operand is NaN or both are zero, the
// instructions of x86 return the second operand.
HWY_INLINE hn::Vec<hn::ScalableTag<float>> AtLeast(hn::Vec<hn::ScalableTag<float>> v,
                                                   hn::Vec<hn::ScalableTag<float>> low) {
#if HALFTONE_CAN(CHOOSE_SECOND)
  return hn::Max(low, v);
#else
  return hn::IfThenElse(hn::Lt(v, low), low, v);  // false for NaN
#endif
}

HWY_INLINE hn::Vec<hn::ScalableTag<float>> AtMost(hn::Vec<hn::ScalableTag<float>> v,
                                                  hn::Vec<hn::ScalableTag<float>> high) {
#if HALFTONE_CAN(CHOOSE_SECOND)
  return hn::Min(high, v);
#else
  return hn::IfThenElse(hn::Gt(v, high), high, v);
#endif
}

// PRelu. NaN stays NaN.
HWY_INLINE hn::Vec<hn::ScalableTag<float>> Sloped(hn::Vec<hn::ScalableTag<float>> v,
                                                  hn::Vec<hn::ScalableTag<float>> slope) {
  const hn::ScalableTag<float> d;
  return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Mul(v, slope), v);
}

// Applies residual and PRelu. Without a residual, `r` may be null.
template <ResidualPlace residual, typename T>
HWY_INLINE hn::Vec<hn::ScalableTag<float>> FinishSloped(hn::Vec<hn::ScalableTag<float>> v,
                                                        hn::Vec<hn::ScalableTag<float>> slope,
                                                        const T* r, std::size_t count) {
  if constexpr (residual == ResidualPlace::kBefore) {
    v = hn::Add(v, LoadUpTo(r, count));
  }
  v = Sloped(v, slope);
  if constexpr (residual == ResidualPlace::kAfter) {
    v = hn::Add(v, LoadUpTo(r, count));
  }
  return v;
}

// Applies residual and clamp, without a function. Without a residual, `r` may be null.
template <ResidualPlace residual, typename T>
HWY_INLINE hn::Vec<hn::ScalableTag<float>> Finish(hn::Vec<hn::ScalableTag<float>> v,
                                                  const ActivationRange& range, const T* r,
                                                  std::size_t count) {
  const hn::ScalableTag<float> d;
  if constexpr (residual == ResidualPlace::kBefore) {
    v = hn::Add(v, LoadUpTo(r, count));
  }
  v = AtMost(AtLeast(v, hn::Set(d, range.low)), hn::Set(d, range.high));
  if constexpr (residual == ResidualPlace::kAfter) {
    v = hn::Add(v, LoadUpTo(r, count));
  }
  return v;
}

// Applies the epilogue to `kCount` vectors, which need not be neighbours. Vector i has count(i)
// elements, and its residual begins at residual + offset(i). `slope` holds the slopes for all
// vectors if the epilogue has slopes. Not HWY_INLINE: gcc 12 fails on one vector ("in
// gsi_insert_seq_nodes_after").
template <int kCount, typename T, typename Offset, typename Count>
inline HWY_ATTR void FinishVectors(hn::Vec<hn::ScalableTag<float>> (&v)[kCount],
                                   const Epilogue& epilogue, hn::Vec<hn::ScalableTag<float>> slope,
                                   const T* residual, const Offset& offset, const Count& count) {
  const hn::ScalableTag<float> d;
  const ResidualPlace place = epilogue.residual;
  if (place == ResidualPlace::kBefore) {
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      v[i] = hn::Add(v[i], LoadUpTo(residual + offset(i), count(i)));
    }
  }
  // The function takes all vectors at once, to hide the latency of its polynomials.
  if (epilogue.function != nullptr) {
    const std::size_t lanes = hn::Lanes(d);
    HWY_ALIGN float block[kCount * (HWY_MAX_BYTES / sizeof(float))];
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      hn::Store(v[i], d, block + static_cast<std::size_t>(i) * lanes);
    }
    epilogue.function(block, block, static_cast<std::int64_t>(kCount * lanes), epilogue.params);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      v[i] = hn::Load(d, block + static_cast<std::size_t>(i) * lanes);
    }
  }
  if (!epilogue.slopes.empty()) {
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      v[i] = Sloped(v[i], slope);
    }
  }
  const T* none = nullptr;
#pragma GCC unroll 8
  for (int i = 0; i < kCount; ++i) {
    v[i] = Finish<ResidualPlace::kNone>(v[i], epilogue.range, none, 0);
  }
  if (place == ResidualPlace::kAfter) {
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) {
      v[i] = hn::Add(v[i], LoadUpTo(residual + offset(i), count(i)));
    }
  }
}

}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_TILE_EPILOGUE_INL_H_
