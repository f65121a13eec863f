#include "kernels/quantized/reference.h"

#include <array>

#include "kernels/quantized/byte_epilogue.h"
#include "kernels/quantized/operands.h"
#include "kernels/quantized/rounding.h"
#include "src/base/error.h"

namespace halftone {
namespace {

struct ReferenceState : KernelState {
  explicit ReferenceState(const KernelQuery& query)
      : places(PlacesOf(query.op)),
        constants(query),
        y_dtype(query.outputs.at(0)->dtype),
        epilogue(query) {
    if (const std::string_view reason = RefusalOfEpilogue(query); !reason.empty()) {
      throw Error(ErrorKind::kUnsupported, std::string(reason));
    }
    for (std::size_t i = 0; i < query.inputs.size(); ++i) {
      types.push_back(query.inputs[i] == nullptr ? TensorType{} : *query.inputs[i]);
    }
  }

  OperandPlaces places;
  ConstantInputs constants;
  DType y_dtype;
  ByteEpilogueFacts epilogue;
  std::vector<TensorType> types;
};

// The operands of one run. An operand with one element has it at every index.
class Operands {
 public:
  Operands(const ReferenceState& state, const KernelArgs& args)
      : state_(state),
        args_(args),
        epilogue_(state.epilogue.Of([&](std::size_t operand) { return Data(operand); },
                                    [&](std::size_t operand) { return Scale(operand, 0); })) {}

  [[nodiscard]] const void* Data(std::size_t operand) const {
    return operand >= state_.types.size() ? nullptr : state_.constants.Input(args_, operand);
  }

  [[nodiscard]] std::int64_t Integer(std::size_t operand, std::int64_t index) const {
    const void* data = Data(operand);
    return data == nullptr ? 0 : IntegerAt(Type(operand).dtype, data, At(operand, index));
  }

  [[nodiscard]] float Scale(std::size_t operand, std::int64_t index) const {
    const void* data = Data(operand);
    return data == nullptr
               ? 1.0F
               : static_cast<float>(DoubleAt(Type(operand).dtype, data, At(operand, index)));
  }

  // `line_a`, `line_b`: what scales and zero points of A and B are indexed by.
  void Store(std::int64_t out, std::int64_t sum, std::int64_t line_a, std::int64_t line_b) const {
    const OperandPlaces& places = state_.places;
    const std::int32_t wrapped = Wrapped(sum);
    if (state_.y_dtype == DType::kInt32) {
      static_cast<std::int32_t*>(args_.outputs[0])[out] = wrapped;
      return;
    }
    const float multiplier = Multiplier(Scale(places.a_scale, line_a),
                                        Scale(places.b_scale, line_b), Scale(places.y_scale, 0));
    const float v = epilogue_.Apply(static_cast<float>(wrapped) * multiplier, out);
    if (state_.y_dtype == DType::kFloat32) {
      static_cast<float*>(args_.outputs[0])[out] = v;
      return;
    }
    const std::int32_t y = Quantized(v, static_cast<std::int32_t>(Integer(places.y_zero, 0)),
                                     RangeOfInteger(state_.y_dtype));
    StoreDouble(state_.y_dtype, args_.outputs[0], out, y);
  }

 private:
  [[nodiscard]] const TensorType& Type(std::size_t operand) const { return state_.types[operand]; }

  [[nodiscard]] std::int64_t At(std::size_t operand, std::int64_t index) const {
    return Type(operand).shape.ElementCount() == 1 ? 0 : index;
  }

  const ReferenceState& state_;
  const KernelArgs& args_;
  ByteEpilogue epilogue_;
};

struct MatMulState final : ReferenceState {
  explicit MatMulState(const KernelQuery& query)
      : ReferenceState(query), call(QuantizedMatrixCall(query)) {
    const auto rows = [&](const Shape& shape) {
      return shape.rank() < 2 ? std::int64_t{1} : shape[shape.rank() - 2];
    };
    rows_of_a = rows(query.Input(places.a)->shape);
    for (const std::size_t operand :
         {places.a_zero, places.a_scale, places.b_zero, places.b_scale}) {
      const TensorType* type = query.Input(operand);
      per_batch.push_back(type != nullptr && type->shape.rank() > 1);
    }
  }

  MatrixCall call;
  std::int64_t rows_of_a = 1;  // of one matrix; call.m may be those of all batches
  std::vector<bool>
      per_batch;  // a_zero, a_scale, b_zero, b_scale: one for each line of each matrix
};

struct ConvState final : ReferenceState {
  explicit ConvState(const KernelQuery& query)
      : ReferenceState(query), call(QuantizedConvCall(query)) {}

  ConvCall call;
};

struct ConvTransposeState final : ReferenceState {
  explicit ConvTransposeState(const KernelQuery& query)
      : ReferenceState(query),
        call(QuantizedConvTransposeCall(query)),
        channels_last(query.layout.channels_last) {}

  ConvTransposeCall call;
  bool channels_last = false;
};

using Index = std::array<std::int64_t, kSpatialAxes>;

Index IndexOf(std::int64_t flat, const Index& extents) {
  return {flat / (extents[1] * extents[2]), flat / extents[2] % extents[1], flat % extents[2]};
}

// The flat input position under tap `tap` of output `out`, or -1 in the padding.
std::int64_t InputPosition(const ConvCall& call, const Index& out, const Index& tap) {
  std::int64_t flat = 0;
  for (std::size_t i = 0; i < kSpatialAxes; ++i) {
    const std::int64_t at = out[i] * call.stride[i] - call.pad[i] + tap[i] * call.dilation[i];
    if (at < 0 || at >= call.input[i]) {
      return -1;
    }
    flat = flat * call.input[i] + at;
  }
  return flat;
}

// Padding stands for 0: it adds nothing.
std::int64_t WindowSum(const ConvCall& call, const Operands& in, const OperandPlaces& places,
                       std::int64_t image, std::int64_t channel, std::int64_t pixel) {
  const std::int64_t x_zero = in.Integer(places.a_zero, 0);
  const std::int64_t w_zero = in.Integer(places.b_zero, channel);
  const std::int64_t channels = call.group * call.in_channels;
  const Index position = IndexOf(pixel, call.output);
  std::int64_t sum = in.Integer(places.bias, channel);
  for (std::int64_t c = 0; c < call.in_channels; ++c) {
    const std::int64_t in_channel = channel / call.out_channels * call.in_channels + c;
    for (std::int64_t tap = 0; tap < call.Taps(); ++tap) {
      const std::int64_t at = InputPosition(call, position, IndexOf(tap, call.kernel));
      if (at >= 0) {
        const std::int64_t x = call.channels_last
                                   ? (image * call.InputPixels() + at) * channels + in_channel
                                   : (image * channels + in_channel) * call.InputPixels() + at;
        const std::int64_t w = (channel * call.in_channels + c) * call.Taps() + tap;
        sum += (in.Integer(places.a, x) - x_zero) * (in.Integer(places.b, w) - w_zero);
      }
    }
  }
  return sum;
}

// A row of A or a column of B: its first element and its zero point.
struct ProductLine {
  std::int64_t first;
  std::int64_t zero;
};

// `sum` and the products of a row and a column.
std::int64_t ProductSum(const MatMulState& state, const Operands& in, const ProductLine& row,
                        const ProductLine& column, std::int64_t sum) {
  const MatrixCall& call = state.call;
  for (std::int64_t k = 0; k < call.k; ++k) {
    const std::int64_t a = in.Integer(state.places.a, row.first + k * call.a_step);
    const std::int64_t b = in.Integer(state.places.b, column.first + k * call.b_step);
    sum += (a - row.zero) * (b - column.zero);
  }
  return sum;
}

// Sum over the taps that reach an output.
std::int64_t TransposedSum(const ConvTransposeState& state, const Operands& in, std::int64_t image,
                           std::int64_t channel, std::int64_t pixel) {
  const ConvTransposeCall& call = state.call;
  const std::int64_t x_zero = in.Integer(state.places.a_zero, 0);
  const std::int64_t w_zero = in.Integer(state.places.b_zero, channel);
  const std::int64_t channels = call.groups * call.input_channels;
  const std::int64_t group = channel / call.output_channels;
  const Index position = IndexOf(pixel, call.output);
  std::int64_t sum = in.Integer(state.places.bias, channel);
  for (std::int64_t tap = 0; tap < call.taps(); ++tap) {
    const Index taps = IndexOf(tap, call.kernel);
    std::int64_t at = 0;
    for (std::size_t i = 0; i < ConvTransposeCall::kAxes && at >= 0; ++i) {
      const std::int64_t source = call.Source(i, position[i], taps[i]);
      at = source < 0 ? -1 : at * call.input[i] + source;
    }
    for (std::int64_t c = 0; at >= 0 && c < call.input_channels; ++c) {
      const std::int64_t from = group * call.input_channels + c;
      const std::int64_t x = state.channels_last
                                 ? (image * call.input_pixels() + at) * channels + from
                                 : (image * channels + from) * call.input_pixels() + at;
      const std::int64_t w =
          (from * call.output_channels + channel % call.output_channels) * call.taps() + tap;
      sum += (in.Integer(state.places.a, x) - x_zero) * (in.Integer(state.places.b, w) - w_zero);
    }
  }
  return sum;
}

}  // namespace

std::unique_ptr<KernelState> PrepareQuantizedMatMulReference(const KernelQuery& query) {
  return std::make_unique<MatMulState>(query);
}

void RunQuantizedMatMulReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const MatMulState&>(*args.state);
  const MatrixCall& call = state.call;
  const OperandPlaces& places = state.places;
  const Operands in(state, args);
  std::int64_t out = 0;
  for (std::size_t batch = 0; batch < call.a_offsets.size(); ++batch) {
    const std::int64_t columns_before = call.k == 0 ? 0 : call.b_offsets[batch] / call.k;
    for (std::int64_t i = 0; i < call.m; ++i) {
      const std::int64_t row = (call.k == 0 ? 0 : call.a_offsets[batch] / call.k) + i;
      const std::int64_t row_of_matrix = state.rows_of_a == 0 ? 0 : i % state.rows_of_a;
      for (std::int64_t j = 0; j < call.n; ++j, ++out) {
        const std::int64_t sum = ProductSum(
            state, in,
            {.first = call.a_offsets[batch] + i * call.a_row,
             .zero = in.Integer(places.a_zero, state.per_batch[0] ? row : row_of_matrix)},
            {.first = call.b_offsets[batch] + j * call.b_column,
             .zero = in.Integer(places.b_zero, state.per_batch[2] ? columns_before + j : j)},
            in.Integer(places.bias, j));
        in.Store(out, sum, state.per_batch[1] ? row : row_of_matrix,
                 state.per_batch[3] ? columns_before + j : j);
      }
    }
  }
}

std::unique_ptr<KernelState> PrepareQuantizedConvReference(const KernelQuery& query) {
  return std::make_unique<ConvState>(query);
}

void RunQuantizedConvReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ConvState&>(*args.state);
  const ConvCall& call = state.call;
  const Operands in(state, args);
  const std::int64_t channels = call.group * call.out_channels;
  const std::int64_t pixels = call.OutputPixels();
  for (std::int64_t out = 0; out < call.batch * channels * pixels; ++out) {
    const std::int64_t image = out / pixels / channels;
    const std::int64_t channel = call.channels_last ? out % channels : out / pixels % channels;
    const std::int64_t pixel = call.channels_last ? out / channels % pixels : out % pixels;
    in.Store(out, WindowSum(call, in, state.places, image, channel, pixel), 0, channel);
  }
}

std::unique_ptr<KernelState> PrepareQuantizedConvTransposeReference(const KernelQuery& query) {
  return std::make_unique<ConvTransposeState>(query);
}

void RunQuantizedConvTransposeReference(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ConvTransposeState&>(*args.state);
  const ConvTransposeCall& call = state.call;
  const Operands in(state, args);
  const std::int64_t channels = call.groups * call.output_channels;
  const std::int64_t pixels = call.output_pixels();
  for (std::int64_t out = 0; out < call.batch * channels * pixels; ++out) {
    const std::int64_t image = out / pixels / channels;
    const std::int64_t channel = state.channels_last ? out % channels : out / pixels % channels;
    const std::int64_t pixel = state.channels_last ? out / channels % pixels : out % pixels;
    in.Store(out, TransposedSum(state, in, image, channel, pixel), 0, channel);
  }
}

}  // namespace halftone
