// Specification of the binary operators: one index per element, floats in double with one rounding,
// exact integers.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/binary/binary.h"
#include "kernels/binary/integer_arithmetic.h"
#include "src/base/error.h"

namespace halftone {
namespace {

struct ReferenceState : KernelState {
  OpKind op = OpKind::kAdd;
  BinaryForm form;
  std::vector<TensorType> inputs;
  TensorType output;
};

double Maximum(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

double Minimum(double a, double b) {
  return std::isnan(a) || a < b ? a : b;
}

double Compute(OpKind op, double a, double b) {
  switch (op) {
    case OpKind::kAdd:
      return a + b;
    case OpKind::kSub:
      return a - b;
    case OpKind::kMul:
      return a * b;
    case OpKind::kDiv:
      return a / b;
    case OpKind::kPow:
      return std::pow(a, b);
    case OpKind::kMax:
      return Maximum(a, b);
    case OpKind::kMin:
      return Minimum(a, b);
    case OpKind::kMod:
      return std::fmod(a, b);
    default:  // PRelu
      return a < 0 ? a * b : a;
  }
}

template <typename T>
T ComputeInteger(const ReferenceState& s, T a, T b) {
  switch (s.op) {
    case OpKind::kAdd:
      return WrappingAdd(a, b);
    case OpKind::kSub:
      return WrappingSub(a, b);
    case OpKind::kMul:
      return WrappingMul(a, b);
    case OpKind::kDiv:
      return DivideOrZero(a, b);
    case OpKind::kPow:
      return IntegerPower(a, b);
    case OpKind::kMax:
      return a < b ? b : a;
    case OpKind::kMin:
      return b < a ? b : a;
    case OpKind::kMod:
      return s.form.c_remainder ? RemainderOrZero(a, b) : ModuloOrZero(a, b);
    case OpKind::kBitShift:
      return s.form.left ? ShiftedLeft(a, b) : ShiftedRight(a, b);
    case OpKind::kBitwiseAnd:
      return a & b;
    case OpKind::kBitwiseOr:
      return a | b;
    case OpKind::kBitwiseXor:
      return a ^ b;
    default:  // PRelu
      return a < 0 ? WrappingMul(a, b) : a;
  }
}

template <typename T>
bool Compare(OpKind op, T a, T b) {
  switch (op) {
    case OpKind::kAnd:
      return a != 0 && b != 0;
    case OpKind::kOr:
      return a != 0 || b != 0;
    case OpKind::kXor:
      return (a != 0) != (b != 0);
    case OpKind::kEqual:
      return a == b;
    case OpKind::kGreater:
      return a > b;
    case OpKind::kGreaterOrEqual:
      return a >= b;
    case OpKind::kLess:
      return a < b;
    default:  // LessOrEqual
      return a <= b;
  }
}

// The element of a broadcast operand that belongs to element `index` of the output.
std::int64_t BroadcastIndex(const Shape& operand, const Shape& output, std::int64_t index) {
  std::int64_t result = 0;
  std::int64_t stride = 1;
  for (int axis = output.rank() - 1; axis >= 0; --axis) {
    const std::int64_t at = index % output[axis];
    index /= output[axis];
    const int own = axis - (output.rank() - operand.rank());
    if (own >= 0) {
      result += (operand[own] == 1 ? 0 : at) * stride;
      stride *= operand[own];
    }
  }
  return result;
}

void StoreInteger(DType dtype, void* data, std::int64_t index, std::int64_t value) {
  const std::size_t size = SizeOf(dtype);  // the low bytes: little-endian two's complement
  std::memcpy(static_cast<std::byte*>(data) + static_cast<std::size_t>(index) * size, &value, size);
}

// Elements narrower than 64 bits fit std::int64_t exactly; uint64 is compared and divided unsigned.
void StoreElement(const ReferenceState& s, const KernelArgs& args, std::int64_t i, std::int64_t ia,
                  std::int64_t ib) {
  const DType dtype = s.inputs[0].dtype;
  const bool to_bool = s.output.dtype == DType::kBool;
  if (IsFloating(dtype) || IsFloating(s.inputs[1].dtype)) {
    const double a = DoubleAt(dtype, args.inputs[0], ia);
    const double b = DoubleAt(s.inputs[1].dtype, args.inputs[1], ib);
    const double y = to_bool ? static_cast<double>(Compare(s.op, a, b)) : Compute(s.op, a, b);
    StoreDouble(s.output.dtype, args.outputs[0], i, y);
    return;
  }
  const std::int64_t a = IntegerAt(dtype, args.inputs[0], ia);
  const std::int64_t b = IntegerAt(s.inputs[1].dtype, args.inputs[1], ib);
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  const bool is_unsigned = dtype == DType::kUInt64;
  if (to_bool) {
    const bool y = is_unsigned ? Compare(s.op, ua, ub) : Compare(s.op, a, b);
    StoreInteger(s.output.dtype, args.outputs[0], i, y ? 1 : 0);
  } else {
    const std::int64_t y = is_unsigned ? static_cast<std::int64_t>(ComputeInteger(s, ua, ub))
                                       : ComputeInteger(s, a, b);
    StoreInteger(s.output.dtype, args.outputs[0], i, y);
  }
}

void StoreChosen(const ReferenceState& s, const KernelArgs& args, std::int64_t i) {
  const Shape& shape = s.output.shape;
  const std::int64_t at = BroadcastIndex(s.inputs[0].shape, shape, i);
  const std::size_t branch = DoubleAt(DType::kBool, args.inputs[0], at) != 0 ? 1 : 2;
  const std::int64_t from = BroadcastIndex(s.inputs[branch].shape, shape, i);
  const std::size_t size = SizeOf(s.output.dtype);
  std::memcpy(
      static_cast<std::byte*>(args.outputs[0]) + static_cast<std::size_t>(i) * size,
      static_cast<const std::byte*>(args.inputs[branch]) + static_cast<std::size_t>(from) * size,
      size);
}

}  // namespace

BinaryForm BinaryFormOf(const KernelQuery& query) {
  BinaryForm form{.c_remainder = query.attributes->Int("fmod", 0) != 0};
  if (query.op == OpKind::kBitShift) {
    const std::string direction = query.attributes->Text("direction", "");
    if (direction != "LEFT" && direction != "RIGHT") {
      throw Error(
          ErrorKind::kModel,
          fmt::format("attribute 'direction': expected LEFT or RIGHT, got '{}'", direction));
    }
    form.left = direction == "LEFT";
  }
  return form;
}

std::unique_ptr<KernelState> PrepareBinaryReference(const KernelQuery& query) {
  auto state = std::make_unique<ReferenceState>();
  state->op = query.op;
  state->form = BinaryFormOf(query);
  for (const TensorType* input : query.inputs) {
    state->inputs.push_back(*input);
  }
  state->output = *query.outputs[0];
  return state;
}

void RunBinaryReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const ReferenceState&>(*args.state);
  const std::int64_t count = s.output.shape.ElementCount();
  for (std::int64_t i = 0; i < count; ++i) {
    if (s.op == OpKind::kWhere) {
      StoreChosen(s, args, i);
    } else {
      StoreElement(s, args, i, BroadcastIndex(s.inputs[0].shape, s.output.shape, i),
                   BroadcastIndex(s.inputs[1].shape, s.output.shape, i));
    }
  }
}

}  // namespace halftone
