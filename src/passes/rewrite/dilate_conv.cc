#include "src/passes/rewrite/dilate_conv.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace halftone {
namespace {

using Extents = std::vector<std::int64_t>;

// Visits the place of each tap, axis by axis, in the order of the weights' elements.
class Taps {
 public:
  explicit Taps(const Shape& shape)
      : kernel_(shape.dims().begin() + 2, shape.dims().end()), place(kernel_.size(), 0) {}

  void Next() {
    for (std::size_t axis = kernel_.size(); axis-- > 0;) {
      if (++place[axis] < kernel_[axis]) {
        return;
      }
      place[axis] = 0;
    }
  }

 private:
  Extents kernel_;

 public:
  Extents place;
};

// Distance between the taps that are not zero, for each spatial axis; 1: no taps can be left out,
// as of weights that are all zero, which stand for others.
Extents StepsOf(const Tensor& weights) {
  const Shape& shape = weights.shape();
  Extents steps;
  for (int axis = 2; axis < shape.rank(); ++axis) {
    steps.push_back(shape[axis] - 1);  // the last tap stays, so that pads and extents do
  }
  Taps taps(shape);
  bool is_zero = true;
  const std::int64_t count = weights.ElementCount();
  for (std::int64_t i = 0; i < count; ++i, taps.Next()) {
    if (DoubleAt(weights.dtype(), weights.data(), i) == 0) {
      continue;
    }
    is_zero = false;
    bool dense = true;
    for (std::size_t axis = 0; axis < steps.size(); ++axis) {
      steps[axis] = std::gcd(steps[axis], taps.place[axis]);
      dense = dense && steps[axis] <= 1;
    }
    if (dense) {
      break;
    }
  }
  for (std::int64_t& step : steps) {
    step = is_zero ? 1 : std::max<std::int64_t>(step, 1);
  }
  return steps;
}

Tensor EveryStep(const Tensor& weights, const Extents& steps) {
  Shape shape = weights.shape();
  for (std::size_t axis = 0; axis < steps.size(); ++axis) {
    std::int64_t& extent = shape[static_cast<int>(axis) + 2];
    extent = (extent - 1) / steps[axis] + 1;
  }
  Tensor result(weights.dtype(), std::move(shape));
  const std::size_t size = SizeOf(weights.dtype());
  std::byte* to = result.mutable_data();
  Taps taps(weights.shape());
  for (std::int64_t i = 0; i < weights.ElementCount(); ++i, taps.Next()) {
    bool stays = true;
    for (std::size_t axis = 0; axis < steps.size(); ++axis) {
      stays = stays && taps.place[axis] % steps[axis] == 0;
    }
    if (stays) {
      std::memcpy(to, weights.data() + static_cast<std::size_t>(i) * size, size);
      to += size;
    }
  }
  return result;
}

}  // namespace

void DilateConv(Graph& graph, const Fusing& fusing) {
  for (Node& node : graph.nodes) {
    if (node.op != OpKind::kConv || !graph.value(node.inputs[1]).constant) {
      continue;
    }
    const Tensor weights = *graph.value(node.inputs[1]).constant;
    if (!IsTunable(weights.dtype()) || weights.ElementCount() == 0) {
      continue;
    }
    const Extents steps = StepsOf(weights);
    if (std::all_of(steps.begin(), steps.end(), [](std::int64_t step) { return step == 1; }) ||
        !fusing.MayFuse(graph, {&node})) {
      continue;
    }
    Tensor kept = fusing.Constant(Hasher().AddBytes(std::as_bytes(std::span(steps))).Finish(),
                                  {{weights}}, [&] { return EveryStep(weights, steps); });
    Extents dilations = node.attributes.Ints("dilations");
    dilations.resize(steps.size(), 1);
    for (std::size_t axis = 0; axis < steps.size(); ++axis) {
      dilations[axis] *= steps[axis];
    }
    node.attributes.Set("dilations", std::move(dilations));
    node.attributes.Set("kernel_shape",
                        Extents(kept.shape().dims().begin() + 2, kept.shape().dims().end()));
    node.inputs[1] = graph.AddValue({.name = node.name + "/taps",
                                     .type = kept.type(),
                                     .constant = kept,
                                     .stands_for = node.inputs[1]});
  }
}

}  // namespace halftone
