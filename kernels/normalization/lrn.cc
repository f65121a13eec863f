// Local response normalisation over channels: y = x / (bias + alpha/size * sum x^2)^beta.
#include <algorithm>
#include <cmath>

#include "kernels/normalization/lrn_rows.h"
#include "kernels/normalization/normalization.h"
#include "kernels/parallel.h"
#include "src/base/error.h"
#include "src/ir/layout.h"

namespace halftone {
namespace {

struct LrnState : KernelState {
  LrnCall call;
};

// s^-beta; 0.75, the default and what networks use, by two roots.
double InversePower(double s, double beta) {
  return beta == 0.75 ? 1 / (std::sqrt(s) * std::sqrt(std::sqrt(s))) : std::pow(s, -beta);
}

LrnCall LrnCallOf(const KernelQuery& query) {
  const Attributes& attributes = *query.attributes;
  const std::int64_t size = attributes.Int("size", 0);
  if (size < 1 || query.Input(0)->shape.rank() < 2) {
    throw Error(ErrorKind::kModel,
                "LRN needs an attribute 'size' of at least 1 and an input of rank 2 or more");
  }
  LrnCall call;
  call.dtype = query.Input(0)->dtype;
  call.channels_last = query.layout.channels_last;
  const Shape shape =
      call.channels_last ? ChannelsFirstOf(query.Input(0)->shape) : query.Input(0)->shape;
  call.batch = shape[0];
  call.channels = shape[1];
  call.inner = shape.ElementCount(2, shape.rank());
  call.below = (size - 1) / 2;
  call.above = size / 2;
  // Defaults of the ONNX operator specification.
  call.factor = static_cast<double>(attributes.Float("alpha", 1e-4F)) / static_cast<double>(size);
  call.bias = attributes.Float("bias", 1.0F);
  call.beta = attributes.Float("beta", 0.75F);
  return call;
}

// Channels `stride` elements apart, from element `first` on.
void NormalizePixel(const LrnCall& call, const KernelArgs& args, std::int64_t first,
                    std::int64_t stride) {
  const auto x = [&](std::int64_t c) {
    return DoubleAt(call.dtype, args.inputs[0], first + c * stride);
  };
  for (std::int64_t c = 0; c < call.channels; ++c) {
    double squares = 0;
    for (std::int64_t k = std::max<std::int64_t>(0, c - call.below);
         k <= std::min(call.channels - 1, c + call.above); ++k) {
      squares += x(k) * x(k);
    }
    const double y = x(c) * InversePower(call.bias + call.factor * squares, call.beta);
    StoreDouble(call.dtype, args.outputs[0], first + c * stride, y);
  }
}

}  // namespace

std::unique_ptr<KernelState> PrepareLrn(const KernelQuery& query) {
  auto state = std::make_unique<LrnState>();
  state->call = LrnCallOf(query);
  return state;
}

std::string_view VectorLrnRefusal(const KernelQuery& query) {
  const LrnCall call = LrnCallOf(query);
  if (!HasLrnRows(call.beta)) {
    return "beta is not 0.5, 0.75 or 1";
  }
  if (call.below + call.above >= kMostLrnWindow) {
    return "the window is wide";
  }
  return call.bias > 0 && call.factor >= 0 ? "" : "bias is not above 0, or alpha is negative";
}

void RunVectorLrn(const KernelArgs& args) noexcept {
  const LrnCall& call = static_cast<const LrnState&>(*args.state).call;
  const std::int64_t grain = 25'000 / call.channels + 1;  // 1 ns an element: 25 us
  ParallelFor(call.batch * call.inner, grain, [&](std::int64_t begin, std::int64_t end) {
    RunLrnPixels(call, args.inputs[0], args.outputs[0], begin, end);
  });
}

void RunLrn(const KernelArgs& args) noexcept {
  const LrnCall& call = static_cast<const LrnState&>(*args.state).call;
  constexpr std::int64_t kGrain = 1024;  // 25 ns an element
  const std::int64_t stride = call.channels_last ? 1 : call.inner;
  ParallelFor(call.batch * call.inner, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t first =
          call.channels_last ? at * call.channels
                             : at / call.inner * call.channels * call.inner + at % call.inner;
      NormalizePixel(call, args, first, stride);
    }
  });
}

}  // namespace halftone
