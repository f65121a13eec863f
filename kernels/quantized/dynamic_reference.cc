#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/quantized/dynamic_product.h"
#include "src/base/error.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

constexpr std::size_t kScales = 2;

struct ReferenceState final : KernelState {
  explicit ReferenceState(const KernelQuery& query)
      : constants(query),
        k(query.inputs[1]->shape[0]),
        n(query.inputs[1]->shape[1]),
        m(query.inputs[0]->shape.ElementCount(0, query.inputs[0]->shape.rank() - 1)),
        has_bias(query.Input(kDynamicBiasOperand) != nullptr),
        epilogue(DynamicEpilogueOf(query)),
        y_dtype(query.outputs.at(0)->dtype) {
    if (const std::string_view reason = DynamicCallRefusal(query); !reason.empty()) {
      throw Error(ErrorKind::kUnsupported, std::string(reason));
    }
    for (const TensorType* type : query.inputs) {
      dtypes.push_back(type == nullptr ? DType::kFloat32 : type->dtype);
    }
  }

  ConstantInputs constants;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int64_t m = 0;
  bool has_bias = false;
  Epilogue epilogue;
  DType y_dtype = DType::kFloat32;
  std::vector<DType> dtypes;  // of operands
};

// An activation: a clamp, or a function rounded from double.
float Activated(const Epilogue& epilogue, float v) {
  return epilogue.formula == nullptr
             ? epilogue.range.Apply(v)
             : static_cast<float>(epilogue.formula(static_cast<double>(v), epilogue.params));
}

// Infinity or NaN where the row has one.
template <typename Element>
float LargestOf(const Element& element, std::int64_t count) {
  float largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const float magnitude = std::fabs(element(i));
    if (!std::isfinite(magnitude)) {
      return magnitude;
    }
    largest = std::max(largest, magnitude);
  }
  return largest;
}

}  // namespace

std::unique_ptr<KernelState> PrepareDynamicMatMulReference(const KernelQuery& query) {
  return std::make_unique<ReferenceState>(query);
}

void RunDynamicMatMulReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ReferenceState&>(*args.state);
  const auto number = [&](std::size_t operand, std::int64_t index) {
    return static_cast<float>(
        DoubleAt(state.dtypes[operand], state.constants.Input(args, operand), index));
  };
  const auto* b = static_cast<const std::int8_t*>(state.constants.Input(args, 1));
  const ResidualPlace place = state.epilogue.residual;
  for (std::int64_t i = 0; i < state.m; ++i) {
    const auto row = [&](std::int64_t e) { return number(0, i * state.k + e); };
    const RowScale scale = RowScaleOf(LargestOf(row, state.k));
    const bool is_zero = scale.to_integers == 0;
    for (std::int64_t j = 0; j < state.n; ++j) {
      std::int64_t sum = 0;
      for (std::int64_t e = 0; e < state.k && !is_zero; ++e) {
        const float q = std::nearbyint(row(e) * scale.to_integers);
        sum += static_cast<std::int64_t>(q) * b[e * state.n + j];
      }
      const std::int64_t at = i * state.n + j;
      float v = static_cast<float>(sum) * number(kScales, j) * scale.from_integers;
      v = state.has_bias ? v + number(kDynamicBiasOperand, j) : v;
      v = place == ResidualPlace::kBefore ? v + number(kDynamicResidualOperand, at) : v;
      v = Activated(state.epilogue, v);
      v = place == ResidualPlace::kAfter ? v + number(kDynamicResidualOperand, at) : v;
      StoreDouble(state.y_dtype, args.outputs[0], at, static_cast<double>(v));
    }
  }
}

}  // namespace halftone
