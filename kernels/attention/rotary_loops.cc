#include "kernels/attention/rotary_loops.h"

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention/rotary_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

template <class D>
struct Turned {
  hn::Vec<D> first;
  hn::Vec<D> second;
};

// Rotates the pairs from `k` on.
template <class D, typename T>
HWY_INLINE Turned<D> Turn(D d, const RotaryRow& row, std::int64_t k, hn::Vec<D> a, hn::Vec<D> b) {
  const auto cos = LoadFloats(d, static_cast<const T*>(row.cos) + k);
  const auto sin = LoadFloats(d, static_cast<const T*>(row.sin) + k);
  return {hn::Sub(hn::Mul(cos, a), hn::Mul(sin, b)), hn::Add(hn::Mul(sin, a), hn::Mul(cos, b))};
}

template <typename T>
struct HalvesOfRow {
  template <class D>
  static HWY_INLINE void Step(D d, const RotaryRow& row, std::int64_t k) {
    const T* x = static_cast<const T*>(row.x) + k;
    T* y = static_cast<T*>(row.y) + k;
    const auto turned = Turn<D, T>(d, row, k, LoadFloats(d, x), LoadFloats(d, x + row.pairs));
    StoreFloats(turned.first, d, y);
    StoreFloats(turned.second, d, y + row.pairs);
  }
};

template <typename T>
struct Neighbours {
  template <class D>
  static HWY_INLINE void Step(D d, const RotaryRow& row, std::int64_t k) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const T* x = static_cast<const T*>(row.x) + 2 * k;
    T* y = static_cast<T*>(row.y) + 2 * k;
    HWY_ALIGN float both[2 * HWY_MAX_BYTES / sizeof(float)];
    hn::StoreU(LoadFloats(d, x), d, both);
    hn::StoreU(LoadFloats(d, x + lanes), d, both + lanes);
    hn::Vec<D> a;
    hn::Vec<D> b;
    hn::LoadInterleaved2(d, both, a, b);
    const auto turned = Turn<D, T>(d, row, k, a, b);
    hn::StoreInterleaved2(turned.first, turned.second, d, both);
    StoreFloats(hn::LoadU(d, both), d, y);
    StoreFloats(hn::LoadU(d, both + lanes), d, y + lanes);
  }
};

// Whole vectors of the pairs from `k` on; where they end.
template <class Form, class D>
HWY_INLINE std::int64_t WholeVectors(D d, const RotaryRow& row, std::int64_t k) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; k + lanes <= row.pairs; k += lanes) {
    Form::Step(d, row, k);
  }
  return k;
}

// Small heads are less than a vector: 4 pairs at a time, then one by one.
template <class Form>
void TurnAll(const RotaryRow& row) {
  const std::int64_t wide = WholeVectors<Form>(hn::ScalableTag<float>(), row, 0);
  const std::int64_t narrow = WholeVectors<Form>(hn::CappedTag<float, 4>(), row, wide);
  WholeVectors<Form>(hn::CappedTag<float, 1>(), row, narrow);
}

TurnRow Find(DType dtype, bool interleaved) {
  switch (dtype) {
    case DType::kFloat16:
      return interleaved ? TurnAll<Neighbours<Float16>> : TurnAll<HalvesOfRow<Float16>>;
    case DType::kBFloat16:
      return interleaved ? TurnAll<Neighbours<BFloat16>> : TurnAll<HalvesOfRow<BFloat16>>;
    default:
      return interleaved ? TurnAll<Neighbours<float>> : TurnAll<HalvesOfRow<float>>;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(Find);

TurnRow FindTurnRow(DType dtype, bool interleaved) {
  return HWY_DYNAMIC_DISPATCH(Find)(dtype, interleaved);
}

}  // namespace halftone
#endif  // HWY_ONCE
