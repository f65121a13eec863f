// Specification of the unary operators: floats in double with one rounding, exact integers.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/unary/unary.h"
#include "src/base/error.h"

namespace halftone {
namespace {

using Formula = UnaryFormula;

double Sign(double x) {
  return x > 0 ? 1 : (x < 0 ? -1 : x);
}

double Clamp(double x, double low, double high) {
  const double raised = x < low ? low : x;
  return raised > high ? high : raised;
}

double Sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

double Softplus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

double Elu(double x, double alpha) {
  return x < 0 ? alpha * std::expm1(x) : x;
}

double Celu(double x, double alpha) {
  return std::isnan(x) ? x : std::max(x, 0.0) + std::min(alpha * std::expm1(x / alpha), 0.0);
}

double Shrink(double x, double lambd, double bias) {
  return x < -lambd ? x + bias : (x > lambd ? x - bias : 0.0);
}

// x Phi(x); erfc keeps the digits that 1 + erf loses for negative x.
double Gelu(double x) {
  return std::isinf(x) && x < 0 ? std::nan("") : 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}

struct FormulaRow {
  OpKind op;
  Formula formula;
};

constexpr FormulaRow kFormulas[] = {
    {OpKind::kAbs, [](double x, const UnaryParams&) { return std::abs(x); }},
    {OpKind::kAcos, [](double x, const UnaryParams&) { return std::acos(x); }},
    {OpKind::kAcosh, [](double x, const UnaryParams&) { return std::acosh(x); }},
    {OpKind::kAsin, [](double x, const UnaryParams&) { return std::asin(x); }},
    {OpKind::kAsinh, [](double x, const UnaryParams&) { return std::asinh(x); }},
    {OpKind::kAtan, [](double x, const UnaryParams&) { return std::atan(x); }},
    {OpKind::kAtanh, [](double x, const UnaryParams&) { return std::atanh(x); }},
    {OpKind::kBitwiseNot, [](double x, const UnaryParams&) { return -x - 1; }},
    {OpKind::kCeil, [](double x, const UnaryParams&) { return std::ceil(x); }},
    {OpKind::kCelu, [](double x, const UnaryParams& p) { return Celu(x, p.a); }},
    {OpKind::kClip, [](double x, const UnaryParams& p) { return Clamp(x, p.a, p.b); }},
    {OpKind::kCos, [](double x, const UnaryParams&) { return std::cos(x); }},
    {OpKind::kCosh, [](double x, const UnaryParams&) { return std::cosh(x); }},
    {OpKind::kElu, [](double x, const UnaryParams& p) { return Elu(x, p.a); }},
    {OpKind::kErf, [](double x, const UnaryParams&) { return std::erf(x); }},
    {OpKind::kExp, [](double x, const UnaryParams&) { return std::exp(x); }},
    {OpKind::kFloor, [](double x, const UnaryParams&) { return std::floor(x); }},
    {OpKind::kGelu, [](double x, const UnaryParams&) { return Gelu(x); }},
    {OpKind::kHardSigmoid,
     [](double x, const UnaryParams& p) { return Clamp(p.a * x + p.b, 0, 1); }},
    {OpKind::kHardSwish, [](double x, const UnaryParams&) { return x * Clamp(x / 6 + 0.5, 0, 1); }},
    {OpKind::kLeakyRelu, [](double x, const UnaryParams& p) { return x < 0 ? p.a * x : x; }},
    {OpKind::kLog, [](double x, const UnaryParams&) { return std::log(x); }},
    {OpKind::kMish, [](double x, const UnaryParams&) { return x * std::tanh(Softplus(x)); }},
    {OpKind::kNeg, [](double x, const UnaryParams&) { return -x; }},
    {OpKind::kNot, [](double x, const UnaryParams&) { return x == 0 ? 1.0 : 0.0; }},
    {OpKind::kReciprocal, [](double x, const UnaryParams&) { return 1 / x; }},
    {OpKind::kRelu, [](double x, const UnaryParams&) { return x < 0 ? 0 : x; }},
    {OpKind::kRound, [](double x, const UnaryParams&) { return std::nearbyint(x); }},
    {OpKind::kSelu, [](double x, const UnaryParams& p) { return p.b * Elu(x, p.a); }},
    {OpKind::kShrink, [](double x, const UnaryParams& p) { return Shrink(x, p.a, p.b); }},
    {OpKind::kSigmoid, [](double x, const UnaryParams&) { return Sigmoid(x); }},
    {OpKind::kSign, [](double x, const UnaryParams&) { return Sign(x); }},
    {OpKind::kSin, [](double x, const UnaryParams&) { return std::sin(x); }},
    {OpKind::kSinh, [](double x, const UnaryParams&) { return std::sinh(x); }},
    {OpKind::kSoftplus, [](double x, const UnaryParams&) { return Softplus(x); }},
    {OpKind::kSoftsign, [](double x, const UnaryParams&) { return x / (1 + std::abs(x)); }},
    {OpKind::kSqrt, [](double x, const UnaryParams&) { return std::sqrt(x); }},
    {OpKind::kSwish,
     [](double x, const UnaryParams& p) { return x * Sigmoid(static_cast<double>(p.a) * x); }},
    {OpKind::kTan, [](double x, const UnaryParams&) { return std::tan(x); }},
    {OpKind::kTanh, [](double x, const UnaryParams&) { return std::tanh(x); }},
    {OpKind::kThresholdedRelu, [](double x, const UnaryParams& p) { return x > p.a ? x : 0.0; }},
};

double GeluTanh(double x, const UnaryParams&) {
  return 0.5 * x *
         (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

struct ReferenceState : KernelState {
  OpKind op = OpKind::kRelu;
  Formula formula = nullptr;
  UnaryParams params;
  RunTimeBounds bounds;
  // The bounds of Clip as integers: float has only 24 bits.
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  DType dtype = DType::kFloat32;
  std::int64_t count = 0;
};

void StoreInteger(DType dtype, void* data, std::int64_t index, std::int64_t value) {
  const std::size_t size = SizeOf(dtype);  // the low bytes: little-endian two's complement
  std::memcpy(static_cast<std::byte*>(data) + static_cast<std::size_t>(index) * size, &value, size);
}

// 0 - x, of the least integer itself: as the hardware has it.
std::int64_t Negated(std::int64_t x) {
  return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x));
}

// Clip in the order of the integers T, which the three are as bits.
template <typename T>
std::int64_t Clipped(std::int64_t x, std::int64_t low, std::int64_t high) {
  const auto most = static_cast<T>(high);
  const auto least = static_cast<T>(low);
  const auto value = static_cast<T>(x);
  return static_cast<std::int64_t>(value < least ? std::min(least, most) : std::min(value, most));
}

// Formula of the operator on an integer, for operators that ONNX defines for integers.
std::int64_t IntegerFormula(const ReferenceState& s, std::int64_t low, std::int64_t high,
                            std::int64_t x) {
  switch (s.op) {
    case OpKind::kAbs:
      return x < 0 && s.dtype != DType::kUInt64 ? Negated(x) : x;
    case OpKind::kBitwiseNot:
      return ~x;
    case OpKind::kNeg:
      return Negated(x);
    case OpKind::kSign:
      return s.dtype == DType::kUInt64 ? x != 0 : (x > 0) - (x < 0);
    case OpKind::kRelu:
      return x < 0 && s.dtype != DType::kUInt64 ? 0 : x;
    case OpKind::kClip:
      return s.dtype == DType::kUInt64 ? Clipped<std::uint64_t>(x, low, high)
                                       : Clipped<std::int64_t>(x, low, high);
    default:
      return x;
  }
}

constexpr bool HasIntegerFormula(OpKind op) {
  return op == OpKind::kAbs || op == OpKind::kNeg || op == OpKind::kSign || op == OpKind::kRelu ||
         op == OpKind::kClip || op == OpKind::kBitwiseNot;
}

}  // namespace

UnaryFormula UnaryFormulaOf(const KernelQuery& query) {
  if (IsTanhForm(query)) {
    return GeluTanh;
  }
  const auto* row = std::find_if(std::begin(kFormulas), std::end(kFormulas),
                                 [&](const FormulaRow& each) { return each.op == query.op; });
  return row != std::end(kFormulas) ? row->formula : nullptr;
}

std::unique_ptr<KernelState> PrepareUnaryReference(const KernelQuery& query) {
  auto state = std::make_unique<ReferenceState>();
  state->op = query.op;
  state->formula = UnaryFormulaOf(query);
  Check(state->formula != nullptr, "a unary operator has no formula in kernels/unary/reference.cc");
  state->params = UnaryParamsOf(query);
  state->bounds = RunTimeBoundsOf(query);
  if (query.Input(0)->dtype == DType::kUInt64) {
    state->low = 0;
    state->high = -1;  // as bits the greatest
  }
  if (query.op == OpKind::kClip && query.Constant(1) != nullptr) {
    state->low = IntegerAt(query.Constant(1)->dtype(), query.Constant(1)->data(), 0);
  }
  if (query.op == OpKind::kClip && query.Constant(2) != nullptr) {
    state->high = IntegerAt(query.Constant(2)->dtype(), query.Constant(2)->data(), 0);
  }
  state->dtype = query.Input(0)->dtype;
  state->count = query.Input(0)->shape.ElementCount();
  return state;
}

void RunUnaryReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const ReferenceState&>(*args.state);
  UnaryParams params = s.params;
  std::int64_t low = s.low;
  std::int64_t high = s.high;
  if (s.bounds.has_min) {
    params.a = static_cast<float>(DoubleAt(s.dtype, args.inputs[1], 0));
    low = IntegerAt(s.dtype, args.inputs[1], 0);
  }
  if (s.bounds.has_max) {
    params.b = static_cast<float>(DoubleAt(s.dtype, args.inputs[2], 0));
    high = IntegerAt(s.dtype, args.inputs[2], 0);
  }
  const bool exact = HasIntegerFormula(s.op) && kIntegerDTypes.Has(s.dtype);
  for (std::int64_t i = 0; i < s.count; ++i) {
    if (exact) {
      const std::int64_t x = IntegerAt(s.dtype, args.inputs[0], i);
      StoreInteger(s.dtype, args.outputs[0], i, IntegerFormula(s, low, high, x));
    } else {
      const double x = DoubleAt(s.dtype, args.inputs[0], i);
      StoreDouble(s.dtype, args.outputs[0], i, s.formula(x, params));
    }
  }
}

}  // namespace halftone
