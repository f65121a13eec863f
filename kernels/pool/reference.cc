#include "kernels/pool/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/pool/pool_call.h"
#include "src/ir/tensor.h"

namespace halftone {
namespace {

struct ReferenceState : KernelState {
  explicit ReferenceState(const KernelQuery& query) : call(PoolCallOf(query)) {}

  PoolCall call;
};

// One output. A maximum over taps of which one is NaN is NaN; over no taps at all it is -inf.
double PoolAt(const PoolCall& call, const void* x, std::int64_t plane,
              const std::array<std::int64_t, kSpatialAxes>& out) {
  std::array<TapRange, kSpatialAxes> taps;
  std::array<std::int64_t, kSpatialAxes> start{};
  for (std::size_t i = 0; i < kSpatialAxes; ++i) {
    taps[i] = TapsAt(call, i, out[i]);
    start[i] = out[i] * call.stride[i] - call.pad[i];
  }
  double sum = 0;
  double maximum = -std::numeric_limits<double>::infinity();
  for (std::int64_t d = taps[0].first; d < taps[0].last; ++d) {
    for (std::int64_t h = taps[1].first; h < taps[1].last; ++h) {
      for (std::int64_t w = taps[2].first; w < taps[2].last; ++w) {
        const std::int64_t z = start[0] + d * call.dilation[0];
        const std::int64_t y = start[1] + h * call.dilation[1];
        const std::int64_t at = start[2] + w * call.dilation[2];
        const double value = DoubleAt(
            call.dtype, x, ((plane * call.input[0] + z) * call.input[1] + y) * call.input[2] + at);
        sum += value;
        maximum = std::isnan(maximum) || maximum > value ? maximum : value;
      }
    }
  }
  const auto counted = static_cast<double>(taps[0].counted * taps[1].counted * taps[2].counted);
  return call.average ? sum / counted : maximum;
}

}  // namespace

std::unique_ptr<KernelState> PreparePoolReference(const KernelQuery& query) {
  return std::make_unique<ReferenceState>(query);
}

void RunPoolReference(const KernelArgs& args) noexcept {
  const PoolCall& call = static_cast<const ReferenceState&>(*args.state).call;
  std::int64_t out = 0;
  for (std::int64_t plane = 0; plane < call.planes; ++plane) {
    for (std::int64_t z = 0; z < call.output[0]; ++z) {
      for (std::int64_t y = 0; y < call.output[1]; ++y) {
        for (std::int64_t x = 0; x < call.output[2]; ++x, ++out) {
          StoreDouble(call.dtype, args.outputs[0], out,
                      PoolAt(call, args.inputs[0], plane, {z, y, x}));
        }
      }
    }
  }
}

}  // namespace halftone
