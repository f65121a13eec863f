#include <fmt/format.h>

#include "kernels/conv_transpose/conv_transpose.h"
#include "src/base/error.h"
#include "src/ir/window.h"

namespace halftone {

ConvTransposeCall ConvTransposeCallOf(const KernelQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const Shape& w = query.inputs.at(1)->shape;
  const auto axes = static_cast<std::size_t>(x.shape.rank() - 2);
  if (axes > ConvTransposeCall::kAxes) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected 1 to 3 spatial axes, got input {}", x.shape.ToString()));
  }
  const Window window =
      TransposedWindowOf(*query.attributes, x.shape, {w.dims().begin() + 2, w.dims().end()});
  ConvTransposeCall call;
  call.dtype = x.dtype;
  call.result_dtype = query.outputs.at(0)->dtype;
  call.batch = x.shape[0];
  call.groups = query.attributes->Int("group", 1);
  call.input_channels = w[0] / call.groups;
  call.output_channels = w[1];
  call.has_bias = query.Input(2) != nullptr;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::size_t to = ConvTransposeCall::kAxes - axes + i;
    call.input[to] = x.shape[static_cast<int>(i) + 2];
    call.output[to] = window.output[i];
    call.kernel[to] = window.kernel[i];
    call.stride[to] = window.stride[i];
    call.dilation[to] = window.dilation[i];
    call.pad[to] = window.pad_begin[i];
  }
  return call;
}

}  // namespace halftone
