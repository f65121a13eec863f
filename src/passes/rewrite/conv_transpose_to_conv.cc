#include "src/passes/rewrite/conv_transpose_to_conv.h"

#include <algorithm>
#include <cstring>

#include "src/ir/window.h"

namespace halftone {
namespace {

// The pads of the convolution, as its attribute has them; empty where there is none.
std::vector<std::int64_t> PadsOf(const Window& window, const Shape& input) {
  const std::size_t axes = window.kernel.size();
  std::vector<std::int64_t> pads(2 * axes);
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t reach = (window.kernel[i] - 1) * window.dilation[i];
    pads[i] = reach - window.pad_begin[i];
    pads[axes + i] = window.output[i] - input[static_cast<int>(i) + 2] + reach - pads[i];
  }
  const bool pads_only =
      std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad >= 0; });
  return pads_only ? pads : std::vector<std::int64_t>();
}

// [C, M / groups, taps...] as [M, C / groups, taps in reverse...].
Tensor ConvWeights(const Tensor& weights, std::int64_t groups) {
  const Shape& shape = weights.shape();
  const std::int64_t in = shape[0] / groups;
  const std::int64_t out = shape[1];
  const std::int64_t taps = shape.ElementCount(2, shape.rank());
  Shape turned = shape;
  turned[0] = out * groups;
  turned[1] = in;
  Tensor result(weights.dtype(), turned);
  const std::size_t size = SizeOf(weights.dtype());
  for (std::int64_t i = 0; i < weights.ElementCount(); ++i) {
    const std::int64_t tap = i % taps;
    const std::int64_t m = i / taps % out;
    const std::int64_t c = i / taps / out;
    const std::int64_t to = ((c / in * out + m) * in + c % in) * taps + taps - 1 - tap;
    std::memcpy(result.mutable_data() + static_cast<std::size_t>(to) * size,
                weights.data() + static_cast<std::size_t>(i) * size, size);
  }
  return result;
}

}  // namespace

void ConvTransposeToConv(Graph& graph, const Fusing& fusing) {
  for (Node& node : graph.nodes) {
    if (node.op != OpKind::kConvTranspose || !graph.value(node.inputs[1]).constant) {
      continue;
    }
    const Shape input = graph.value(node.inputs[0]).type.shape;
    const Tensor weights = *graph.value(node.inputs[1]).constant;
    const Window window = TransposedWindowOf(
        node.attributes, input, {weights.shape().dims().begin() + 2, weights.shape().dims().end()});
    const bool steps = std::any_of(window.stride.begin(), window.stride.end(),
                                   [](std::int64_t stride) { return stride != 1; });
    std::vector<std::int64_t> pads = PadsOf(window, input);
    if (steps || pads.empty() || weights.ElementCount() == 0 || !fusing.MayFuse(graph, {&node})) {
      continue;
    }
    const std::int64_t groups = node.attributes.Int("group", 1);
    Tensor turned = fusing.Constant(Hasher().Add(groups).Finish(), {{weights}},
                                    [&] { return ConvWeights(weights, groups); });
    node.inputs[1] = graph.AddValue({.name = node.name + "/weights",
                                     .type = turned.type(),
                                     .constant = turned,
                                     .stands_for = node.inputs[1]});
    node.op = OpKind::kConv;
    node.attributes = {};
    node.attributes.Set("group", groups);
    node.attributes.Set("dilations", window.dilation);
    node.attributes.Set("pads", std::move(pads));
  }
}

}  // namespace halftone
