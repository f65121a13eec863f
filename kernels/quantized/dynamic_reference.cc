#include <algorithm>
#include <cmath>

#include "kernels/quantized/dynamic_product.h"
#include "src/base/error.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

struct ReferenceState final : KernelState {
  explicit ReferenceState(const KernelQuery& query)
      : constants(query),
        k(query.inputs[1]->shape[0]),
        n(query.inputs[1]->shape[1]),
        m(query.inputs[0]->shape.ElementCount(0, query.inputs[0]->shape.rank() - 1)),
        has_bias(query.Input(kDynamicBiasOperand) != nullptr),
        epilogue(DynamicEpilogueOf(query)) {
    if (const std::string_view reason = DynamicCallRefusal(query); !reason.empty()) {
      throw Error(ErrorKind::kUnsupported, std::string(reason));
    }
  }

  ConstantInputs constants;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int64_t m = 0;
  bool has_bias = false;
  Epilogue epilogue;
};

// An activation: a clamp, or a function rounded from double.
float Activated(const Epilogue& epilogue, float v) {
  return epilogue.formula == nullptr
             ? epilogue.range.Apply(v)
             : static_cast<float>(epilogue.formula(static_cast<double>(v), epilogue.params));
}

// Infinity or NaN where the row has one.
float LargestOf(const float* x, std::int64_t count) {
  float largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(x[i])) {
      return std::fabs(x[i]);
    }
    largest = std::max(largest, std::fabs(x[i]));
  }
  return largest;
}

}  // namespace

std::unique_ptr<KernelState> PrepareDynamicMatMulReference(const KernelQuery& query) {
  return std::make_unique<ReferenceState>(query);
}

void RunDynamicMatMulReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ReferenceState&>(*args.state);
  const auto floats = [&](std::size_t operand) {
    return static_cast<const float*>(state.constants.Input(args, operand));
  };
  const float* x = floats(0);
  const auto* b = static_cast<const std::int8_t*>(state.constants.Input(args, 1));
  const float* scales = floats(2);
  const float* bias = state.has_bias ? floats(kDynamicBiasOperand) : nullptr;
  const float* residual =
      state.epilogue.residual == ResidualPlace::kNone ? nullptr : floats(kDynamicResidualOperand);
  auto* y = static_cast<float*>(args.outputs[0]);
  for (std::int64_t i = 0; i < state.m; ++i) {
    const float* row = x + i * state.k;
    const RowScale scale = RowScaleOf(LargestOf(row, state.k));
    const bool is_zero = scale.to_integers == 0;
    for (std::int64_t j = 0; j < state.n; ++j) {
      std::int64_t sum = 0;
      for (std::int64_t e = 0; e < state.k && !is_zero; ++e) {
        const float q = std::nearbyint(row[e] * scale.to_integers);
        sum += static_cast<std::int64_t>(q) * b[e * state.n + j];
      }
      const std::int64_t at = i * state.n + j;
      float v = static_cast<float>(sum) * scales[j] * scale.from_integers;
      v = bias == nullptr ? v : v + bias[j];
      v = state.epilogue.residual == ResidualPlace::kBefore ? v + residual[at] : v;
      v = Activated(state.epilogue, v);
      y[at] = state.epilogue.residual == ResidualPlace::kAfter ? v + residual[at] : v;
    }
  }
}

}  // namespace halftone
