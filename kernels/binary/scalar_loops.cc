// Scalar loops of the binary operators without vector loops: comparisons, logic, integers and bits
// (the shape arithmetic of networks), Mod of integers and float64, and Pow where power_loops.cc
// does not serve.
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "kernels/binary/binary.h"
#include "kernels/binary/integer_arithmetic.h"

namespace halftone {
namespace {

// Operand of the arithmetic for an element: float for the 16-bit types.
inline float Value(Float16 x) {
  return x.ToFloat();
}

inline float Value(BFloat16 x) {
  return x.ToFloat();
}

template <typename T>
T Value(T x) {
  return x;
}

template <typename T, typename V>
T Stored(V value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return T::FromFloat(value);
  } else {
    return static_cast<T>(value);
  }
}

template <typename T, typename Result, typename Op>
void Loop(const BinaryRun& run) {
  const T* a = static_cast<const T*>(run.a);
  const T* b = static_cast<const T*>(run.b);
  auto* y = static_cast<Result*>(run.y);
  const Op op;
  if (run.b_step == 0) {
    const auto b0 = Value(*b);
    for (std::int64_t i = 0; i < run.count; ++i) {
      y[i] = Stored<Result>(op(Value(a[i * run.a_step]), b0));
    }
  } else {
    for (std::int64_t i = 0; i < run.count; ++i) {
      y[i] = Stored<Result>(op(Value(a[i * run.a_step]), Value(b[i])));
    }
  }
}

struct Equal {
  template <typename V>
  bool operator()(V a, V b) const {
    return a == b;
  }
};

struct Greater {
  template <typename V>
  bool operator()(V a, V b) const {
    return a > b;
  }
};

struct GreaterOrEqual {
  template <typename V>
  bool operator()(V a, V b) const {
    return a >= b;
  }
};

struct Less {
  template <typename V>
  bool operator()(V a, V b) const {
    return a < b;
  }
};

struct LessOrEqual {
  template <typename V>
  bool operator()(V a, V b) const {
    return a <= b;
  }
};

struct And {
  bool operator()(bool a, bool b) const { return a && b; }
};

struct Or {
  bool operator()(bool a, bool b) const { return a || b; }
};

struct Xor {
  bool operator()(bool a, bool b) const { return a != b; }
};

struct Add {
  template <typename V>
  V operator()(V a, V b) const {
    return WrappingAdd(a, b);
  }
};

struct Sub {
  template <typename V>
  V operator()(V a, V b) const {
    return WrappingSub(a, b);
  }
};

struct Mul {
  template <typename V>
  V operator()(V a, V b) const {
    return WrappingMul(a, b);
  }
};

struct Div {
  template <typename V>
  V operator()(V a, V b) const {
    return DivideOrZero(a, b);
  }
};

struct Max {
  template <typename V>
  V operator()(V a, V b) const {
    return a < b ? b : a;
  }
};

struct Min {
  template <typename V>
  V operator()(V a, V b) const {
    return b < a ? b : a;
  }
};

struct PRelu {
  template <typename V>
  V operator()(V a, V b) const {
    return a < 0 ? WrappingMul(a, b) : a;
  }
};

struct BitwiseAnd {
  template <typename V>
  V operator()(V a, V b) const {
    return static_cast<V>(a & b);
  }
};

struct BitwiseOr {
  template <typename V>
  V operator()(V a, V b) const {
    return static_cast<V>(a | b);
  }
};

struct BitwiseXor {
  template <typename V>
  V operator()(V a, V b) const {
    return static_cast<V>(a ^ b);
  }
};

struct ShiftLeft {
  template <typename V>
  V operator()(V a, V b) const {
    return ShiftedLeft(a, b);
  }
};

struct ShiftRight {
  template <typename V>
  V operator()(V a, V b) const {
    return ShiftedRight(a, b);
  }
};

// Floating types always take the sign of the dividend: ONNX demands fmod=1 for them.
struct Remainder {
  template <typename V>
  V operator()(V a, V b) const {
    if constexpr (std::is_floating_point_v<V>) {
      return std::fmod(a, b);
    } else {
      return RemainderOrZero(a, b);
    }
  }
};

struct Modulo {
  template <typename V>
  V operator()(V a, V b) const {
    return ModuloOrZero(a, b);
  }
};

// Floating: in double and rounded to float: within (1 + 2^-20) u of a^b.
struct Pow {
  template <typename V>
  V operator()(V a, V b) const {
    if constexpr (std::is_floating_point_v<V>) {
      return static_cast<V>(std::pow(static_cast<double>(a), static_cast<double>(b)));
    } else {
      return IntegerPower(a, b);
    }
  }
};

// A number that orders float16 as their values do (both zeros are 0), and whether it is one:
// float16 is not converted to be compared.
struct HalfKey {
  explicit HalfKey(Float16 x) {
    const auto bits = static_cast<std::int16_t>(x.bits);
    const auto magnitude = static_cast<std::int16_t>(bits & 0x7fff);
    const auto sign = static_cast<std::int16_t>(bits >> 15);  // 0 or -1
    key = static_cast<std::int16_t>((magnitude ^ sign) - sign);
    is_number = magnitude <= 0x7c00;  // infinity; NaN lies above
  }

  std::int16_t key;
  bool is_number;
};

template <typename Op>
void CompareHalves(const BinaryRun& run) {
  const auto* a = static_cast<const Float16*>(run.a);
  const auto* b = static_cast<const Float16*>(run.b);
  auto* y = static_cast<bool*>(run.y);
  const Op op;
  const auto compare = [&](HalfKey left, HalfKey right) {
    return op(left.key, right.key) & left.is_number & right.is_number;
  };
  if (run.b_step == 0) {
    const HalfKey b0(*b);
    for (std::int64_t i = 0; i < run.count; ++i) {
      y[i] = compare(HalfKey(a[i * run.a_step]), b0);
    }
  } else if (run.a_step == 1) {
    for (std::int64_t i = 0; i < run.count; ++i) {
      y[i] = compare(HalfKey(a[i]), HalfKey(b[i]));
    }
  } else {
    for (std::int64_t i = 0; i < run.count; ++i) {
      y[i] = compare(HalfKey(a[i * run.a_step]), HalfKey(b[i]));
    }
  }
}

template <typename T, typename Op>
BinaryLoop Comparison() {
  if constexpr (std::is_same_v<T, Float16>) {
    return CompareHalves<Op>;
  } else {
    return Loop<T, bool, Op>;
  }
}

template <typename T>
BinaryLoop ComparisonLoop(OpKind op) {
  switch (op) {
    case OpKind::kEqual:
      return Comparison<T, Equal>();
    case OpKind::kGreater:
      return Comparison<T, Greater>();
    case OpKind::kGreaterOrEqual:
      return Comparison<T, GreaterOrEqual>();
    case OpKind::kLess:
      return Comparison<T, Less>();
    case OpKind::kLessOrEqual:
      return Comparison<T, LessOrEqual>();
    default:
      return nullptr;
  }
}

template <typename T>
BinaryLoop FloatingLoop(OpKind op) {
  switch (op) {
    case OpKind::kMod:
      return Loop<T, T, Remainder>;
    case OpKind::kPow:
      return Loop<T, T, Pow>;
    default:
      return ComparisonLoop<T>(op);
  }
}

BinaryLoop BoolLoop(OpKind op) {
  switch (op) {
    case OpKind::kAnd:
      return Loop<bool, bool, And>;
    case OpKind::kOr:
      return Loop<bool, bool, Or>;
    case OpKind::kXor:
      return Loop<bool, bool, Xor>;
    default:
      return ComparisonLoop<bool>(op);
  }
}

template <typename T>
BinaryLoop IntegerLoop(OpKind op, BinaryForm form) {
  switch (op) {
    case OpKind::kAdd:
      return Loop<T, T, Add>;
    case OpKind::kSub:
      return Loop<T, T, Sub>;
    case OpKind::kMul:
      return Loop<T, T, Mul>;
    case OpKind::kDiv:
      return Loop<T, T, Div>;
    case OpKind::kMax:
      return Loop<T, T, Max>;
    case OpKind::kMin:
      return Loop<T, T, Min>;
    case OpKind::kMod:
      return form.c_remainder ? Loop<T, T, Remainder> : Loop<T, T, Modulo>;
    case OpKind::kPow:
      return Loop<T, T, Pow>;
    case OpKind::kPRelu:
      return Loop<T, T, PRelu>;
    case OpKind::kBitShift:
      return form.left ? Loop<T, T, ShiftLeft> : Loop<T, T, ShiftRight>;
    case OpKind::kBitwiseAnd:
      return Loop<T, T, BitwiseAnd>;
    case OpKind::kBitwiseOr:
      return Loop<T, T, BitwiseOr>;
    case OpKind::kBitwiseXor:
      return Loop<T, T, BitwiseXor>;
    default:
      return ComparisonLoop<T>(op);
  }
}

}  // namespace

BinaryLoop FindScalarBinaryLoop(OpKind op, DType dtype, BinaryForm form) {
  switch (dtype) {
    case DType::kFloat32:
      return FloatingLoop<float>(op);
    case DType::kFloat16:
      return FloatingLoop<Float16>(op);
    case DType::kBFloat16:
      return FloatingLoop<BFloat16>(op);
    case DType::kFloat64:
      return FloatingLoop<double>(op);
    case DType::kInt8:
      return IntegerLoop<std::int8_t>(op, form);
    case DType::kUInt8:
      return IntegerLoop<std::uint8_t>(op, form);
    case DType::kInt16:
      return IntegerLoop<std::int16_t>(op, form);
    case DType::kUInt16:
      return IntegerLoop<std::uint16_t>(op, form);
    case DType::kInt32:
      return IntegerLoop<std::int32_t>(op, form);
    case DType::kUInt32:
      return IntegerLoop<std::uint32_t>(op, form);
    case DType::kInt64:
      return IntegerLoop<std::int64_t>(op, form);
    case DType::kUInt64:
      return IntegerLoop<std::uint64_t>(op, form);
    case DType::kBool:
      break;
  }
  return BoolLoop(op);
}

}  // namespace halftone
