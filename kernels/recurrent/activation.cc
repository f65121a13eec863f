#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/activation.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <algorithm>
#include <cmath>

#include "kernels/recurrent/activation.h"
#include "kernels/unary/unary_ops-inl.h"
#include "kernels/vector_count-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

template <typename Op>
void Apply(float* x, std::int64_t count, const Op& op) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += lanes) {
    StoreCount(d, op(d, LoadCount(d, x + i, count - i)), x + i, count - i);
  }
}

void Activate(const Activation& activation, float* x, std::int64_t count) {
  const UnaryParams p{activation.alpha, activation.beta};
  using Kind = Activation::Kind;
  switch (activation.kind) {
    case Kind::kSigmoid:
      return Apply(x, count, [](FloatTag d, FloatVec v) { return SigmoidPrecise(d, v); });
    case Kind::kTanh:
      return Apply(x, count, [](FloatTag d, FloatVec v) { return TanhPrecise(d, v); });
    case Kind::kRelu:
      return Apply(x, count, [p](FloatTag d, FloatVec v) { return ReluOp()(d, v, p); });
    case Kind::kAffine:
      return Apply(x, count, [p](FloatTag d, FloatVec v) {
        return hn::Add(hn::Mul(v, hn::Set(d, p.a)), hn::Set(d, p.b));
      });
    case Kind::kLeakyRelu:
      return Apply(x, count, [p](FloatTag d, FloatVec v) { return LeakyReluOp()(d, v, p); });
    case Kind::kThresholdedRelu:
      return Apply(x, count, [p](FloatTag d, FloatVec v) {
        return hn::IfThenZeroElse(hn::Lt(v, hn::Set(d, p.a)), v);
      });
    case Kind::kScaledTanh:
      return Apply(x, count, [p](FloatTag d, FloatVec v) {
        return hn::Mul(hn::Set(d, p.a), TanhPrecise(d, hn::Mul(v, hn::Set(d, p.b))));
      });
    case Kind::kHardSigmoid:
      return Apply(x, count, [p](FloatTag d, FloatVec v) { return HardSigmoidOp()(d, v, p); });
    case Kind::kElu:
      return Apply(x, count, [p](FloatTag d, FloatVec v) { return EluOp()(d, v, p); });
    case Kind::kSoftsign:
      return Apply(x, count, [p](FloatTag d, FloatVec v) { return SoftsignOp()(d, v, p); });
    case Kind::kSoftplus:
      return Apply(x, count, [](FloatTag d, FloatVec v) { return SoftplusOf(d, v); });
  }
}

template <typename T>
void NarrowTo(const float* source, void* target, std::int64_t count) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  T* to = static_cast<T*>(target);
  for (std::int64_t i = 0; i < count; i += lanes) {
    StoreCount(d, LoadCount(d, source + i, count - i), to + i, count - i);
  }
}

void Narrow(DType dtype, const float* source, void* target, std::int64_t count) {
  if (dtype == DType::kFloat16) {
    NarrowTo<Float16>(source, target, count);
  } else if (dtype == DType::kBFloat16) {
    NarrowTo<BFloat16>(source, target, count);
  } else {
    std::copy_n(source, count, static_cast<float*>(target));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(Activate);
HWY_EXPORT(Narrow);

void ActivateRow(const Activation& activation, float* x, std::int64_t count) noexcept {
  HWY_DYNAMIC_DISPATCH(Activate)(activation, x, count);
}

void NarrowRow(DType dtype, const float* source, void* target, std::int64_t count) noexcept {
  HWY_DYNAMIC_DISPATCH(Narrow)(dtype, source, target, count);
}

const ActivationRow* FindActivation(std::string_view name) {
  using Kind = Activation::Kind;
  // The defaults are those of the ONNX operators of these names.
  static constexpr ActivationRow kRows[] = {
      {"sigmoid", Kind::kSigmoid, false, false, 0, 0},
      {"tanh", Kind::kTanh, false, false, 0, 0},
      {"relu", Kind::kRelu, false, false, 0, 0},
      {"affine", Kind::kAffine, true, true, 1, 0},
      {"leakyrelu", Kind::kLeakyRelu, true, false, 0.01F, 0},
      {"thresholdedrelu", Kind::kThresholdedRelu, true, false, 1, 0},
      {"scaledtanh", Kind::kScaledTanh, true, true, 1, 1},
      {"hardsigmoid", Kind::kHardSigmoid, true, true, 0.2F, 0.5F},
      {"elu", Kind::kElu, true, false, 1, 0},
      {"softsign", Kind::kSoftsign, false, false, 0, 0},
      {"softplus", Kind::kSoftplus, false, false, 0, 0},
  };
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (const ActivationRow& row : kRows) {
    if (std::equal(name.begin(), name.end(), row.name.begin(), row.name.end(),
                   [&](char a, char b) { return lower(a) == b; })) {
      return &row;
    }
  }
  return nullptr;
}

double Activated(const Activation& activation, double x) {
  const double alpha = activation.alpha;
  const double beta = activation.beta;
  using Kind = Activation::Kind;
  switch (activation.kind) {
    case Kind::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Kind::kTanh:
      return std::tanh(x);
    case Kind::kRelu:
      return x < 0 ? 0 : x;
    case Kind::kAffine:
      return alpha * x + beta;
    case Kind::kLeakyRelu:
      return x < 0 ? alpha * x : x;
    case Kind::kThresholdedRelu:
      return x < alpha ? 0 : x;
    case Kind::kScaledTanh:
      return alpha * std::tanh(beta * x);
    case Kind::kHardSigmoid:
      return std::isnan(x) ? x : std::clamp(alpha * x + beta, 0.0, 1.0);
    case Kind::kElu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case Kind::kSoftsign:
      return x / (1 + std::abs(x));
    case Kind::kSoftplus:
      return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  }
  return x;
}

}  // namespace halftone
#endif  // HWY_ONCE
