// Local response normalisation over channels: y = x / (bias + alpha/size * sum x^2)^beta.
#include <algorithm>
#include <cmath>

#include "kernels/normalization/normalization.h"
#include "kernels/parallel.h"
#include "src/base/error.h"

namespace halftone {
namespace {

struct LrnState : KernelState {
  DType dtype = DType::kFloat32;
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t inner = 1;
  std::int64_t below = 0;  // channels of the window before and after
  std::int64_t above = 0;
  double factor = 0;
  double bias = 1;
  double beta = 0.75;
};

// s^-beta; 0.75, the default and what networks use, by two roots.
double InversePower(double s, double beta) {
  return beta == 0.75 ? 1 / (std::sqrt(s) * std::sqrt(std::sqrt(s))) : std::pow(s, -beta);
}

}  // namespace

std::unique_ptr<KernelState> PrepareLrn(const KernelQuery& query) {
  auto state = std::make_unique<LrnState>();
  const Shape& shape = query.Input(0)->shape;
  const Attributes& attributes = *query.attributes;
  const std::int64_t size = attributes.Int("size", 0);
  if (size < 1 || shape.rank() < 2) {
    throw Error(ErrorKind::kModel,
                "LRN needs an attribute 'size' of at least 1 and an input of rank 2 or more");
  }
  state->dtype = query.Input(0)->dtype;
  state->batch = shape[0];
  state->channels = shape[1];
  state->inner = shape.ElementCount(2, shape.rank());
  state->below = (size - 1) / 2;
  state->above = size / 2;
  // Defaults of the ONNX operator specification.
  state->factor = static_cast<double>(attributes.Float("alpha", 1e-4F)) / static_cast<double>(size);
  state->bias = attributes.Float("bias", 1.0F);
  state->beta = attributes.Float("beta", 0.75F);
  return state;
}

void RunLrn(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const LrnState&>(*args.state);
  constexpr std::int64_t kGrain = 1024;  // 25 ns an element
  const std::int64_t plane = s.channels * s.inner;
  ParallelFor(s.batch * s.inner, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t first = at / s.inner * plane + at % s.inner;
      const auto x = [&](std::int64_t c) {
        return DoubleAt(s.dtype, args.inputs[0], first + c * s.inner);
      };
      for (std::int64_t c = 0; c < s.channels; ++c) {
        double squares = 0;
        for (std::int64_t k = std::max<std::int64_t>(0, c - s.below);
             k <= std::min(s.channels - 1, c + s.above); ++k) {
          squares += x(k) * x(k);
        }
        const double y = x(c) * InversePower(s.bias + s.factor * squares, s.beta);
        StoreDouble(s.dtype, args.outputs[0], first + c * s.inner, y);
      }
    }
  });
}

}  // namespace halftone
