// Random networks of the patterns that fusions of the host take: norms, activations and attention
// in the operators that exporters write, convolutions with what follows them.
#pragma once

#include <vector>

#include "src/base/rng.h"
#include "src/ir/graph.h"

namespace halftone::testing {

struct DeviceNetwork {
  Graph graph;  // one input
  std::vector<Tensor> sample;
};

// Two to five patterns one behind the other, on rows or on images. In one network of three the
// values are so large that squares and scores are beyond float16.
DeviceNetwork RandomDeviceNetwork(Rng& rng);

}  // namespace halftone::testing
