// Specifications of Instance-, Layer- and RMSNormalization: double, one rounding.
#include <cmath>
#include <vector>

#include "kernels/normalization/normalization.h"

namespace halftone {
namespace {

struct ReferenceState : KernelState {
  OpKind op = OpKind::kLayerNormalization;
  std::vector<TensorType> inputs;
  std::vector<bool> present;
  std::int64_t rows = 1;      // groups with statistics of their own
  std::int64_t length = 1;    // elements of a row
  std::int64_t channels = 1;  // rows cycle through the channels
  double epsilon = 1e-5;
  std::vector<DType> outputs;  // of LayerNormalization: Y, Mean, InvStdDev
};

struct Reader {
  const ReferenceState& s;
  const KernelArgs& args;

  // Element `index` of operand `input`, cyclically: scale and bias repeat.
  [[nodiscard]] double At(std::size_t input, std::int64_t index) const {
    const std::int64_t count = s.inputs[input].shape.ElementCount();
    return DoubleAt(s.inputs[input].dtype, args.inputs[input], index % count);
  }
};

double Mean(const Reader& read, std::int64_t first, std::int64_t length) {
  double sum = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    sum += read.At(0, first + i);
  }
  return sum / static_cast<double>(length);
}

double Variance(const Reader& read, std::int64_t first, std::int64_t length, double mean) {
  double sum = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    sum += (read.At(0, first + i) - mean) * (read.At(0, first + i) - mean);
  }
  return sum / static_cast<double>(length);
}

// True if scale and bias have an element for each element of the row, not for each channel.
bool IsPerElement(OpKind op) {
  return op == OpKind::kLayerNormalization || op == OpKind::kRmsNormalization;
}

}  // namespace

std::unique_ptr<KernelState> PrepareNormalizationReference(const KernelQuery& query) {
  auto state = std::make_unique<ReferenceState>();
  state->op = query.op;
  for (const TensorType* input : query.inputs) {
    state->inputs.push_back(input != nullptr ? *input : TensorType{});
    state->present.push_back(input != nullptr);
  }
  for (const TensorType* output : query.outputs) {
    state->outputs.push_back(output->dtype);
  }
  const Shape& shape = query.Input(0)->shape;
  state->epsilon = query.attributes->Float("epsilon", 1e-5F);
  if (IsPerElement(query.op)) {
    const int axis = NormalizeAxis(query.attributes->Int("axis", -1), shape.rank());
    state->rows = shape.ElementCount(0, axis);
    state->length = shape.ElementCount(axis, shape.rank());
  } else {
    state->channels = shape[1];
    state->rows = shape[0] * shape[1];
    state->length = shape.ElementCount(2, shape.rank());
  }
  return state;
}

void RunNormalizationReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const ReferenceState&>(*args.state);
  const Reader read{s, args};
  const bool per_element = IsPerElement(s.op);
  const bool centers = s.op != OpKind::kRmsNormalization;
  const bool has_bias = s.present.size() > 2 && s.present[2];
  for (std::int64_t row = 0; row < s.rows; ++row) {
    const std::int64_t first = row * s.length;
    const std::int64_t channel = row % s.channels;
    const double mean = centers ? Mean(read, first, s.length) : 0;
    const double variance = Variance(read, first, s.length, mean);
    const double inverse = 1 / std::sqrt(variance + s.epsilon);
    if (s.outputs.size() > 1) {
      StoreDouble(s.outputs[1], args.outputs[1], row, mean);
    }
    if (s.outputs.size() > 2) {
      StoreDouble(s.outputs[2], args.outputs[2], row, inverse);
    }
    for (std::int64_t i = 0; i < s.length; ++i) {
      const std::int64_t at = per_element ? i : channel;
      const double y = (read.At(0, first + i) - mean) * inverse * read.At(1, at) +
                       (has_bias ? read.At(2, at) : 0);
      StoreDouble(s.inputs[0].dtype, args.outputs[0], first + i, y);
    }
  }
}

}  // namespace halftone
