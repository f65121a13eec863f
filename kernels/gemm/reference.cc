#include "kernels/gemm/reference.h"

#include "kernels/gemm/matrix_call.h"
#include "src/ir/tensor.h"

namespace halftone {
namespace {

struct ReferenceState : KernelState {
  explicit ReferenceState(const KernelQuery& query) : call(MatrixCallOf(query)), constants(query) {}

  MatrixCall call;
  ConstantInputs constants;
};

struct Operands {
  const void* a;
  const void* b;
  const void* bias;
};

double FloatingElement(const MatrixCall& call, const Operands& in, std::int64_t a, std::int64_t b,
                       std::int64_t bias) {
  double sum = 0;
  for (std::int64_t k = 0; k < call.k; ++k) {
    sum += DoubleAt(call.dtype, in.a, a + k * call.a_step) *
           DoubleAt(call.dtype, in.b, b + k * call.b_step);
  }
  sum *= static_cast<double>(call.alpha);
  if (in.bias != nullptr) {
    sum += static_cast<double>(call.beta) * DoubleAt(call.result_dtype, in.bias, bias);
  }
  return call.activation.Apply(sum);
}

// Integers wrap modulo 2^64 and then to the result's width: alpha and beta other than 0 and 1 have
// no meaning that all implementations share, and are taken as truncated integers.
std::int64_t IntegerElement(const MatrixCall& call, const Operands& in, std::int64_t a,
                            std::int64_t b, std::int64_t bias) {
  std::uint64_t sum = 0;
  for (std::int64_t k = 0; k < call.k; ++k) {
    sum += static_cast<std::uint64_t>(IntegerAt(call.dtype, in.a, a + k * call.a_step)) *
           static_cast<std::uint64_t>(IntegerAt(call.dtype, in.b, b + k * call.b_step));
  }
  sum *= static_cast<std::uint64_t>(static_cast<std::int64_t>(call.alpha));
  if (in.bias != nullptr) {
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(call.beta)) *
           static_cast<std::uint64_t>(IntegerAt(call.result_dtype, in.bias, bias));
  }
  return static_cast<std::int64_t>(sum);
}

void StoreInteger(DType dtype, void* data, std::int64_t index, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  switch (SizeOf(dtype)) {
    case 1:
      static_cast<std::uint8_t*>(data)[index] = static_cast<std::uint8_t>(bits);
      break;
    case 2:
      static_cast<std::uint16_t*>(data)[index] = static_cast<std::uint16_t>(bits);
      break;
    case 4:
      static_cast<std::uint32_t*>(data)[index] = static_cast<std::uint32_t>(bits);
      break;
    default:
      static_cast<std::uint64_t*>(data)[index] = bits;
      break;
  }
}

}  // namespace

std::unique_ptr<KernelState> PrepareGemmReference(const KernelQuery& query) {
  return std::make_unique<ReferenceState>(query);
}

void RunGemmReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ReferenceState&>(*args.state);
  const MatrixCall& call = state.call;
  const Operands in{state.constants.Input(args, 0), state.constants.Input(args, 1),
                    call.has_bias ? state.constants.Input(args, 2) : nullptr};
  std::int64_t out = 0;
  for (std::size_t batch = 0; batch < call.a_offsets.size(); ++batch) {
    for (std::int64_t i = 0; i < call.m; ++i) {
      for (std::int64_t j = 0; j < call.n; ++j, ++out) {
        const std::int64_t a = call.a_offsets[batch] + i * call.a_row;
        const std::int64_t b = call.b_offsets[batch] + j * call.b_column;
        const std::int64_t bias = i * call.bias_row + j * call.bias_column;
        if (IsFloating(call.dtype)) {
          StoreDouble(call.result_dtype, args.outputs[0], out,
                      FloatingElement(call, in, a, b, bias));
        } else {
          StoreInteger(call.result_dtype, args.outputs[0], out,
                       IntegerElement(call, in, a, b, bias));
        }
      }
    }
  }
}

}  // namespace halftone
