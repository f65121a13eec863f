#include "kernels/pool/pool_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/ir/window.h"

namespace halftone {

TapRange TapsAt(const PoolCall& call, std::size_t axis, std::int64_t out) {
  const std::int64_t start = out * call.stride[axis] - call.pad[axis];
  const std::int64_t dilation = call.dilation[axis];
  const auto taps_below = [&](std::int64_t end) {  // taps at positions before `end`
    const std::int64_t taps = start >= end ? 0 : (end - start + dilation - 1) / dilation;
    return std::min(taps, call.kernel[axis]);
  };
  TapRange range;
  range.first = taps_below(0);
  range.last = std::max(range.first, taps_below(call.input[axis]));
  range.counted = call.count_include_pad ? taps_below(call.input[axis] + call.pad_end[axis])
                                         : range.last - range.first;
  return range;
}

PoolCall PoolCallOf(const KernelQuery& query) {
  Check(query.Input(0) != nullptr, "pooling has one operand");
  const TensorType& x = *query.Input(0);
  if (x.shape.rank() < 3 || x.shape.rank() > 2 + static_cast<int>(kSpatialAxes)) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected 1 to 3 spatial axes, got input {}", x.shape.ToString()));
  }
  PoolCall call;
  call.dtype = x.dtype;
  call.channels_last = query.layout.channels_last;
  const Shape shape = call.channels_last ? ChannelsFirstOf(x.shape) : x.shape;
  call.batch = shape[0];
  call.channels = shape[1];
  call.average = query.op == OpKind::kAveragePool || query.op == OpKind::kGlobalAveragePool;
  call.norm = query.op == OpKind::kLpPool ? static_cast<double>(query.attributes->Int("p", 2)) : 0;
  if (query.op == OpKind::kLpPool && call.norm < 1) {
    throw Error(ErrorKind::kModel, fmt::format("attribute 'p': expected 1 or more, got {}",
                                               query.attributes->Int("p", 2)));
  }
  call.indices = query.outputs.size() > 1 && query.outputs[1] != nullptr;
  call.indices_by_columns = query.attributes->Int("storage_order", 0) != 0;
  call.count_include_pad = query.attributes->Int("count_include_pad", 0) != 0;
  const auto axes = static_cast<std::size_t>(shape.rank()) - 2;
  for (std::size_t i = 0; i < axes; ++i) {
    call.input[kSpatialAxes - axes + i] = shape[static_cast<int>(i) + 2];
  }
  if (query.op == OpKind::kGlobalAveragePool || query.op == OpKind::kGlobalMaxPool) {
    call.kernel = call.input;
    call.count_include_pad = false;
  } else {
    static_cast<WindowGeometry&>(call) = GeometryOf(WindowOf(*query.attributes, shape), shape);
  }
  return call;
}

}  // namespace halftone
