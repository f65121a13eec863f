#include "kernels/gemm/reference.h"

#include "kernels/elements.h"
#include "kernels/gemm/matrix_call.h"
#include "src/ir/fused_operands.h"
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
  const void* residual;
};

struct ElementAt {
  std::int64_t a, b, bias, y, column;
};

// A template on the element type, because dispatching on it at every product would take most of the
// time.
template <typename T>
double SumOf(const MatrixCall& call, const T* a, const T* b) {
  double sum = 0;
  for (std::int64_t k = 0; k < call.k; ++k) {
    sum += static_cast<double>(NumberOf(a[k * call.a_step])) *
           static_cast<double>(NumberOf(b[k * call.b_step]));
  }
  return sum;
}

double FloatingElement(const MatrixCall& call, const Operands& in, const ElementAt& at) {
  double sum = VisitElement(call.dtype, [&](auto element) {
    using T = decltype(element);
    return SumOf(call, static_cast<const T*>(in.a) + at.a, static_cast<const T*>(in.b) + at.b);
  });
  sum *= static_cast<double>(call.alpha);
  if (in.bias != nullptr) {
    sum += static_cast<double>(call.beta) * DoubleAt(call.result_dtype, in.bias, at.bias);
  }
  const double r = in.residual != nullptr ? DoubleAt(call.result_dtype, in.residual, at.y) : 0.0;
  return call.epilogue.Apply(sum, r, at.column);
}

// Integers wrap modulo 2^64 and then to the result's width: alpha and beta other than 0 and 1 have
// no meaning that all implementations share, and are taken as truncated integers.
std::int64_t IntegerElement(const MatrixCall& call, const Operands& in, const ElementAt& at) {
  std::uint64_t sum = 0;
  for (std::int64_t k = 0; k < call.k; ++k) {
    sum += static_cast<std::uint64_t>(IntegerAt(call.dtype, in.a, at.a + k * call.a_step)) *
           static_cast<std::uint64_t>(IntegerAt(call.dtype, in.b, at.b + k * call.b_step));
  }
  sum *= static_cast<std::uint64_t>(static_cast<std::int64_t>(call.alpha));
  if (in.bias != nullptr) {
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(call.beta)) *
           static_cast<std::uint64_t>(IntegerAt(call.result_dtype, in.bias, at.bias));
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

void StoreElement(const MatrixCall& call, const Operands& in, const ElementAt& at, void* y) {
  if (IsFloating(call.dtype)) {
    StoreDouble(call.result_dtype, y, at.y, FloatingElement(call, in, at));
  } else {
    StoreInteger(call.result_dtype, y, at.y, IntegerElement(call, in, at));
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
                    call.has_bias ? state.constants.Input(args, kBiasOperand) : nullptr,
                    state.constants.Input(args, kResidualOperand)};
  std::int64_t out = 0;
  for (std::size_t batch = 0; batch < call.a_offsets.size(); ++batch) {
    for (std::int64_t i = 0; i < call.m; ++i) {
      for (std::int64_t j = 0; j < call.n; ++j, ++out) {
        const ElementAt at{.a = call.a_offsets[batch] + i * call.a_row,
                           .b = call.b_offsets[batch] + j * call.b_column,
                           .bias = i * call.bias_row + j * call.bias_column,
                           .y = out,
                           .column = j};
        StoreElement(call, in, at, args.outputs[0]);
      }
    }
  }
}

}  // namespace halftone
