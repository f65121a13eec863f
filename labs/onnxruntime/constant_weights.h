// Turns the weights of a model into constants that both programs can fold and pack. In older or
// more compact files, weights are not constants, and the peer would compute or pack them anew in
// every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace halftone {

struct ConstantWeightsOptions {
  // True: float ConstantOfShape nodes with a constant shape become initializers with random values.
  // This is for networks of which only the topology matters; their outputs mean nothing.
  bool random_weights = false;
  std::uint64_t seed = 1;
  // Sizes for free dimensions of the inputs, by name.
  std::map<std::string, std::int64_t> dimensions;
};

struct ConstantWeights {
  std::string model;                 // bytes of the rewritten model
  std::size_t random_weights = 0;    // number of weights that became random
  std::size_t fixed_dimensions = 0;  // number of free dimensions that got a size

  // True if the rewritten model computes something other than the original, so that both programs
  // must read it.
  [[nodiscard]] bool is_another_network() const { return random_weights + fixed_dimensions > 0; }
};

// Makes initializers constants: removes them from the list of inputs, and raises the IR version to
// at least 4. Random matrices are uniform with variance 1 / fan-in; random scales and variances lie
// in [0.5, 1.5), biases and means in [-0.1, 0.1). Error kModel: not an ONNX model.
ConstantWeights MakeWeightsConstant(std::string_view model,
                                    const ConstantWeightsOptions& options = {});

}  // namespace halftone
