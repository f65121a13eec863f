#include "kernels/gemm/matrix_call.h"
#include "kernels/quantized/linear.h"
#include "kernels/quantized/rounding.h"

namespace halftone {
namespace {

struct ReferenceState final : KernelState {
  explicit ReferenceState(const KernelQuery& query) : constants(query), x(*query.inputs.at(0)) {
    if (query.op != OpKind::kDynamicQuantizeLinear) {
      layout = ScaleLayoutOf(query);
      scale_dtype = query.inputs.at(1)->dtype;
    }
    for (const TensorType* output : query.outputs) {
      outputs.push_back(output == nullptr ? DType::kFloat32 : output->dtype);
    }
  }

  ConstantInputs constants;
  TensorType x;
  ScaleLayout layout;
  DType scale_dtype = DType::kFloat32;
  std::vector<DType> outputs;
};

float FloatAt(DType dtype, const void* data, std::int64_t index) {
  return static_cast<float>(DoubleAt(dtype, data, index));
}

// Calls visit(element, scale index) for all elements.
template <typename Visit>
void ForElements(const ScaleLayout& layout, const Visit& visit) {
  std::int64_t element = 0;
  for (std::int64_t o = 0; o < layout.outer; ++o) {
    for (std::int64_t a = 0; a < layout.axis; ++a) {
      for (std::int64_t i = 0; i < layout.inner; ++i) {
        visit(element++, layout.ScaleAt(o, a, i));
      }
    }
  }
}

}  // namespace

std::unique_ptr<KernelState> PrepareLinearReference(const KernelQuery& query) {
  return std::make_unique<ReferenceState>(query);
}

void RunQuantizeLinearReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ReferenceState&>(*args.state);
  const void* x = state.constants.Input(args, 0);
  const void* scales = state.constants.Input(args, 1);
  const void* zeros = state.constants.Input(args, 2);
  const DType dtype = state.outputs.at(0);
  ForElements(state.layout, [&](std::int64_t element, std::int64_t scale) {
    const auto zero =
        static_cast<std::int32_t>(zeros == nullptr ? 0 : IntegerAt(dtype, zeros, scale));
    const float quotient =
        FloatAt(state.x.dtype, x, element) / FloatAt(state.scale_dtype, scales, scale);
    StoreDouble(dtype, args.outputs[0], element, Quantized(quotient, zero, RangeOfInteger(dtype)));
  });
}

void RunDequantizeLinearReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ReferenceState&>(*args.state);
  const void* x = state.constants.Input(args, 0);
  const void* scales = state.constants.Input(args, 1);
  const void* zeros = state.constants.Input(args, 2);
  ForElements(state.layout, [&](std::int64_t element, std::int64_t scale) {
    const std::int64_t zero = zeros == nullptr ? 0 : IntegerAt(state.x.dtype, zeros, scale);
    const auto difference = static_cast<float>(IntegerAt(state.x.dtype, x, element) - zero);
    const float y = difference * FloatAt(state.scale_dtype, scales, scale);
    StoreDouble(state.outputs.at(0), args.outputs[0], element, static_cast<double>(y));
  });
}

void RunDynamicQuantizeReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ReferenceState&>(*args.state);
  const void* x = state.constants.Input(args, 0);
  const std::int64_t count = state.x.shape.ElementCount();
  FloatRange range;
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = FloatAt(state.x.dtype, x, i);
    range.low = value < range.low ? value : range.low;
    range.high = value > range.high ? value : range.high;
  }
  const DynamicScale scale = DynamicScaleOf(range);
  for (std::int64_t i = 0; i < count; ++i) {
    StoreDouble(DType::kUInt8, args.outputs[0], i,
                Quantized(FloatAt(state.x.dtype, x, i) / scale.scale, scale.zero_point,
                          RangeOfInteger(DType::kUInt8)));
  }
  if (args.outputs.size() > 1 && args.outputs[1] != nullptr) {
    StoreDouble(state.outputs.at(1), args.outputs[1], 0, static_cast<double>(scale.scale));
  }
  if (args.outputs.size() > 2 && args.outputs[2] != nullptr) {
    StoreDouble(DType::kUInt8, args.outputs[2], 0, scale.zero_point);
  }
}

}  // namespace halftone
