// Loads and stores of the first elements of a vector, for the end of a row. Part of Highway's
// once-per-target compilation (the guard toggles); include after "hwy/highway.h".
#if defined(HALFTONE_KERNELS_VECTOR_COUNT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_VECTOR_COUNT_INL_H_
#undef HALFTONE_KERNELS_VECTOR_COUNT_INL_H_
#else
#define HALFTONE_KERNELS_VECTOR_COUNT_INL_H_
#endif

#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

// Loads `count` elements, at most a whole vector; the other lanes are 0.
template <typename T>
HWY_INLINE FloatVec LoadCount(FloatTag d, const T* p, std::int64_t count) {
  return count >= static_cast<std::int64_t>(hn::Lanes(d))
             ? LoadFloats(d, p)
             : LoadFirst(d, p, static_cast<std::size_t>(count));
}

// LoadCount() with `fill` in the other lanes.
template <typename T>
HWY_INLINE FloatVec LoadCountOr(FloatTag d, const T* p, std::int64_t count, float fill) {
  return count >= static_cast<std::int64_t>(hn::Lanes(d))
             ? LoadFloats(d, p)
             : hn::IfThenElse(hn::FirstN(d, static_cast<std::size_t>(count)),
                              LoadFirst(d, p, static_cast<std::size_t>(count)), hn::Set(d, fill));
}

template <typename T>
HWY_INLINE void StoreCount(FloatTag d, FloatVec v, T* p, std::int64_t count) {
  if (count >= static_cast<std::int64_t>(hn::Lanes(d))) {
    StoreFloats(v, d, p);
  } else {
    StoreFirst(v, d, p, static_cast<std::size_t>(count));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_VECTOR_COUNT_INL_H_
