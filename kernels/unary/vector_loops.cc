// The vector loops of the unary operators, one row an operator and mode. A functor that no other
// family needs may stand here, above the rows.
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/unary/vector_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <cstring>

#include "kernels/unary/trigonometry-inl.h"
#include "kernels/unary/unary_loop.h"
#include "kernels/unary/unary_ops-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

template <typename T, typename Op>
void Loop(const void* x, void* y, std::int64_t count, const UnaryParams& params) {
  const FloatTag d;
  const Op op;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(y);
  std::int64_t i = 0;
  // Four independent vectors hide the latency of the polynomial chains.
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const FloatVec y0 = op(d, LoadFloats(d, from + i), params);
    const FloatVec y1 = op(d, LoadFloats(d, from + i + lanes), params);
    const FloatVec y2 = op(d, LoadFloats(d, from + i + 2 * lanes), params);
    const FloatVec y3 = op(d, LoadFloats(d, from + i + 3 * lanes), params);
    StoreFloats(y0, d, to + i);
    StoreFloats(y1, d, to + i + lanes);
    StoreFloats(y2, d, to + i + 2 * lanes);
    StoreFloats(y3, d, to + i + 3 * lanes);
  }
  for (; i + lanes <= count; i += lanes) {
    StoreFloats(op(d, LoadFloats(d, from + i), params), d, to + i);
  }
  if (i < count) {
    const auto rest = static_cast<std::size_t>(count - i);
    StoreFirst(op(d, LoadFirst(d, from + i, rest), params), d, to + i, rest);
  }
}

using BitsTag = hn::ScalableTag<std::int16_t>;
using BitsVec = hn::Vec<BitsTag>;

// Operators on the bits of a 16-bit type as integers.
struct AbsBits {
  HWY_INLINE BitsVec operator()(BitsTag d, BitsVec x, std::int16_t /*minus_infinity*/) const {
    return hn::And(x, hn::Set(d, 0x7fff));
  }
};

struct NegBits {
  HWY_INLINE BitsVec operator()(BitsTag d, BitsVec x, std::int16_t /*minus_infinity*/) const {
    return hn::Xor(x, hn::Set(d, std::int16_t{-32768}));
  }
};

// Zero below zero; NaN with a sign is above minus infinity, -0 the least integer.
struct ReluBits {
  HWY_INLINE BitsVec operator()(BitsTag d, BitsVec x, std::int16_t minus_infinity) const {
    const auto negative =
        hn::And(hn::Lt(x, hn::Set(d, static_cast<std::int16_t>(minus_infinity + 1))),
                hn::Gt(x, hn::Set(d, std::int16_t{-32768})));
    return hn::IfThenZeroElse(negative, x);
  }
};

constexpr std::int16_t MinusInfinityBits(const Float16* /*type*/) {
  return -0x400;
}

constexpr std::int16_t MinusInfinityBits(const BFloat16* /*type*/) {
  return -0x80;
}

// A loop over 16-bit elements without conversion to float32, with the same results.
template <typename T, typename Op>
void BitsLoop(const void* x, void* y, std::int64_t count, const UnaryParams& /*params*/) {
  const BitsTag d;
  const Op op;
  constexpr std::int16_t kMinusInfinity = MinusInfinityBits(static_cast<const T*>(nullptr));
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* from = static_cast<const std::int16_t*>(x);
  auto* to = static_cast<std::int16_t*>(y);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(op(d, hn::LoadU(d, from + i), kMinusInfinity), d, to + i);
  }
  if (i < count) {
    HWY_ALIGN std::int16_t rest[HWY_MAX_BYTES / sizeof(std::int16_t)] = {};
    const auto bytes = static_cast<std::size_t>(count - i) * sizeof(std::int16_t);
    std::memcpy(rest, from + i, bytes);
    hn::Store(op(d, hn::Load(d, rest), kMinusInfinity), d, rest);
    std::memcpy(to + i, rest, bytes);
  }
}

struct UnaryLoopRow {
  OpKind op;
  ImplMode impl_mode;
  // About the time per element in cache (bench/elementwise_bench.cc, Zen 4): the grain, and whether
  // large results are written past the caches (kernels/unary/table.cc).
  double cost_ns;
  UnaryLoop f32;
  UnaryLoop f16;
  UnaryLoop bf16;
  bool tanh_form = false;
};

template <typename Op>
constexpr UnaryLoopRow Row(OpKind op, double cost_ns, ImplMode mode = ImplMode::kDefault,
                           bool tanh_form = false) {
  return {op, mode, cost_ns, Loop<float, Op>, Loop<Float16, Op>, Loop<BFloat16, Op>, tanh_form};
}

template <typename Op, typename Bits>
constexpr UnaryLoopRow BitsRow(OpKind op, double cost_ns) {
  return {op,
          ImplMode::kDefault,
          cost_ns,
          Loop<float, Op>,
          BitsLoop<Float16, Bits>,
          BitsLoop<BFloat16, Bits>};
}

inline constexpr ImplMode kPrecise = ImplMode::kHighPrecision;
inline constexpr ImplMode kFast = ImplMode::kHighPerformance;

UnaryLoopChoice FindLoop(const UnaryLoopKey& key, DType dtype) {
  static constexpr UnaryLoopRow kRows[] = {
      BitsRow<AbsOp, AbsBits>(OpKind::kAbs, 0.1),
      Row<Plain<AcosOf>>(OpKind::kAcos, 0.4),
      Row<Plain<AcoshOf>>(OpKind::kAcosh, 0.4),
      Row<Plain<AsinOf>>(OpKind::kAsin, 0.4),
      Row<Plain<AsinhOf>>(OpKind::kAsinh, 0.4),
      Row<Plain<AtanOf>>(OpKind::kAtan, 0.4),
      Row<Plain<AtanhOf>>(OpKind::kAtanh, 0.4),
      Row<CeilOp>(OpKind::kCeil, 0.1),
      Row<CeluOp>(OpKind::kCelu, 0.4),
      Row<ClipOp>(OpKind::kClip, 0.1),
      Row<Plain<CosOf>>(OpKind::kCos, 0.4),
      Row<Plain<CoshOf>>(OpKind::kCosh, 0.3),
      Row<EluOp>(OpKind::kElu, 0.4),
      Row<Plain<ErfPrecise>>(OpKind::kErf, 0.3, kPrecise),
      Row<Plain<ErfFast>>(OpKind::kErf, 0.2, kFast),
      Row<Plain<ExpPrecise>>(OpKind::kExp, 0.2, kPrecise),
      Row<Plain<ExpFast>>(OpKind::kExp, 0.1, kFast),
      Row<FloorOp>(OpKind::kFloor, 0.1),
      Row<Plain<GeluPrecise>>(OpKind::kGelu, 0.3, kPrecise),
      Row<Plain<GeluFast>>(OpKind::kGelu, 0.2, kFast),
      Row<Plain<GeluTanhPrecise>>(OpKind::kGelu, 0.3, kPrecise, true),
      Row<Plain<GeluTanhFast>>(OpKind::kGelu, 0.2, kFast, true),
      Row<HardSigmoidOp>(OpKind::kHardSigmoid, 0.1),
      Row<HardSwishOp>(OpKind::kHardSwish, 0.1),
      Row<LeakyReluOp>(OpKind::kLeakyRelu, 0.1),
      Row<Plain<LogOf>>(OpKind::kLog, 0.2),
      Row<Plain<MishOf>>(OpKind::kMish, 0.2),
      BitsRow<NegOp, NegBits>(OpKind::kNeg, 0.1),
      Row<Plain<ReciprocalPrecise>>(OpKind::kReciprocal, 0.1, kPrecise),
      Row<Plain<ReciprocalFast>>(OpKind::kReciprocal, 0.1, kFast),
      BitsRow<ReluOp, ReluBits>(OpKind::kRelu, 0.1),
      Row<RoundOp>(OpKind::kRound, 0.1),
      Row<SeluOp>(OpKind::kSelu, 0.4),
      Row<ShrinkOp>(OpKind::kShrink, 0.1),
      Row<Plain<SigmoidPrecise>>(OpKind::kSigmoid, 0.2, kPrecise),
      Row<Plain<SigmoidFast>>(OpKind::kSigmoid, 0.2, kFast),
      Row<SignOp>(OpKind::kSign, 0.1),
      Row<Plain<SinOf>>(OpKind::kSin, 0.4),
      Row<Plain<SinhOf>>(OpKind::kSinh, 0.4),
      Row<Plain<SoftplusOf>>(OpKind::kSoftplus, 0.4),
      Row<SoftsignOp>(OpKind::kSoftsign, 0.1),
      Row<SqrtOp>(OpKind::kSqrt, 0.1),
      Row<SwishPrecise>(OpKind::kSwish, 0.2, kPrecise),
      Row<SwishFast>(OpKind::kSwish, 0.2, kFast),
      Row<Plain<TanOf>>(OpKind::kTan, 10),
      Row<Plain<TanhPrecise>>(OpKind::kTanh, 0.2, kPrecise),
      Row<Plain<TanhFast>>(OpKind::kTanh, 0.2, kFast),
      Row<ThresholdedReluOp>(OpKind::kThresholdedRelu, 0.1),
  };
  constexpr double kRangeNs = 25'000;  // kernels/parallel.h
  for (const UnaryLoopRow& row : kRows) {
    if (row.op == key.op && row.impl_mode == key.impl_mode && row.tanh_form == key.tanh_form) {
      const UnaryLoop half = dtype == DType::kFloat16 ? row.f16 : row.bf16;
      return {dtype == DType::kFloat32 ? row.f32 : half,
              static_cast<std::int64_t>(kRangeNs / row.cost_ns)};
    }
  }
  return {};
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(FindLoop);

UnaryLoopChoice FindUnaryLoop(const UnaryLoopKey& key, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(FindLoop)(key, dtype);
}

}  // namespace halftone
#endif  // HWY_ONCE
