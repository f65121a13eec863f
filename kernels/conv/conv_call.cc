#include "kernels/conv/conv_call.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/ir/layout.h"
#include "src/ir/window.h"

namespace halftone {

ConvCall ConvCallOf(const KernelQuery& query) {
  Check(query.Input(0) != nullptr && query.Input(1) != nullptr, "Conv has two operands");
  const TensorType& x = *query.Input(0);
  const TensorType& w = *query.Input(1);
  ConvCall call;
  call.dtype = x.dtype;
  call.result_dtype = query.outputs.at(0)->dtype;
  call.has_bias = query.Input(2) != nullptr;
  if (w.dtype != x.dtype) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected input and weights of one type, got {} and {}",
                            NameOf(x.dtype), NameOf(w.dtype)));
  }
  if (call.has_bias && query.Input(2)->dtype != call.result_dtype) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected the bias in the result's {}, got {}",
                            NameOf(call.result_dtype), NameOf(query.Input(2)->dtype)));
  }
  call.channels_last = query.layout.channels_last;
  const Shape logical = call.channels_last ? ChannelsFirstOf(x.shape) : x.shape;
  const Window window =
      WindowOf(*query.attributes, logical, {w.shape.dims().begin() + 2, w.shape.dims().end()});
  static_cast<WindowGeometry&>(call) = GeometryOf(window, logical);
  call.batch = logical[0];
  call.group = query.attributes->Int("group", 1);
  call.in_channels = w.shape[1];
  call.out_channels = w.shape[0] / call.group;
  call.epilogue = EpilogueOf(query, w.shape[0]);
  return call;
}

}  // namespace halftone
