// BatchNormalization of inference: scale and offset of each channel, from its four parameters.
#include <algorithm>
#include <cmath>

#include "kernels/normalization/affine_rows.h"
#include "kernels/normalization/normalization.h"
#include "kernels/parallel.h"
#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::int64_t kGrainElements = 100'000;  // 0.25 ns an element: 25 us

struct BatchState final : KernelState {
  DType dtype = DType::kFloat32;
  DType parameter_dtypes[4] = {};
  bool channels_last = false;
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t pixels = 1;  // of one image
  double epsilon = 1e-5;
  ActivationRange range;
  AffineLoops loops;
  // Factors, then terms; empty when a parameter is not constant: then they are made in scratch.
  std::vector<float> affine;
};

// Computed in double: the cost of a channel is nothing beside that of its elements.
void FillAffine(const BatchState& s, const float* const* parameters, float* affine) {
  for (std::int64_t c = 0; c < s.channels; ++c) {
    const double factor =
        parameters[0][c] / std::sqrt(static_cast<double>(parameters[3][c]) + s.epsilon);
    affine[c] = static_cast<float>(factor);
    affine[s.channels + c] = static_cast<float>(parameters[1][c] - parameters[2][c] * factor);
  }
}

void FillFromConstants(BatchState& state, const KernelQuery& query) {
  const float* parameters[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const Tensor* constant = query.Constant(i + 1);
    if (constant == nullptr || constant->dtype() != DType::kFloat32) {
      return;
    }
    parameters[i] = constant->values<float>().data();
  }
  state.affine.resize(static_cast<std::size_t>(2 * state.channels));
  FillAffine(state, parameters, state.affine.data());
}

}  // namespace

std::unique_ptr<KernelState> PrepareBatch(const KernelQuery& query) {
  if (query.attributes->Int("training_mode", 0) != 0) {
    throw Error(ErrorKind::kUnsupported,
                "BatchNormalization with training_mode=1 is not supported");
  }
  auto state = std::make_unique<BatchState>();
  const TensorType& x = *query.Input(0);
  const int rank = x.shape.rank();
  state->dtype = x.dtype;
  for (std::size_t i = 0; i < 4; ++i) {
    state->parameter_dtypes[i] = query.Input(i + 1)->dtype;
  }
  // Both layouts have the same bytes when there is one pixel.
  const bool last = query.layout.channels_last;
  state->channels_last = last || x.shape.ElementCount(2, rank) == 1;
  state->batch = x.shape[0];
  state->channels = x.shape[last ? rank - 1 : 1];
  state->pixels = last ? x.shape.ElementCount(1, rank - 1) : x.shape.ElementCount(2, rank);
  state->epsilon = query.attributes->Float("epsilon", 1e-5F);
  state->range = EpilogueOf(query, 0).range;  // Relu and Clip: nothing else is fused here
  state->loops = FindAffineLoops(x.dtype);
  FillFromConstants(*state, query);
  return state;
}

std::size_t BatchScratchBytes(const KernelState& state) {
  const auto& s = static_cast<const BatchState&>(state);
  return s.affine.empty() ? static_cast<std::size_t>(2 * s.channels) * sizeof(float) : 0;
}

void RunBatch(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const BatchState&>(*args.state);
  const float* affine = s.affine.data();
  if (s.affine.empty()) {
    auto* made = reinterpret_cast<float*>(args.scratch);
    const float* parameters[4];
    for (std::size_t i = 0; i < 4; ++i) {
      parameters[i] = static_cast<const float*>(args.inputs[i + 1]);
    }
    FillAffine(s, parameters, made);
    affine = made;
  }
  const float* terms = affine + s.channels;
  const auto element = static_cast<std::int64_t>(SizeOf(s.dtype));
  const auto* x = static_cast<const std::byte*>(args.inputs[0]);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  const std::int64_t row_length = s.channels_last ? s.channels : s.pixels;
  const std::int64_t rows = s.batch * (s.channels_last ? s.pixels : s.channels);
  const std::int64_t row_bytes = row_length * element;
  const std::int64_t grain =
      std::max<std::int64_t>(1, kGrainElements / std::max<std::int64_t>(1, row_length));
  ParallelFor(rows, grain, [&](std::int64_t begin, std::int64_t end) {
    if (s.channels_last) {
      s.loops.pixels({.x = x + begin * row_bytes,
                      .y = y + begin * row_bytes,
                      .pixels = end - begin,
                      .channels = s.channels,
                      .factors = affine,
                      .terms = terms,
                      .range = s.range});
      return;
    }
    for (std::int64_t row = begin; row < end; ++row) {
      s.loops.plane({.x = x + row * row_bytes,
                     .y = y + row * row_bytes,
                     .count = row_length,
                     .factor = affine[row % s.channels],
                     .term = terms[row % s.channels],
                     .range = s.range});
    }
  });
}

void RunBatchReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const BatchState&>(*args.state);
  const auto parameter = [&](std::size_t i, std::int64_t c) {
    return DoubleAt(s.parameter_dtypes[i - 1], args.inputs[i], c);
  };
  const std::int64_t count = s.batch * s.channels * s.pixels;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t c = (s.channels_last ? i : i / s.pixels) % s.channels;
    const double normalized = (DoubleAt(s.dtype, args.inputs[0], i) - parameter(3, c)) /
                              std::sqrt(parameter(4, c) + s.epsilon);
    StoreDouble(s.dtype, args.outputs[0], i,
                s.range.Apply(normalized * parameter(1, c) + parameter(2, c)));
  }
}

}  // namespace halftone
