// Weights of a model as constants that both programs can fold and pack: older or more compact files
// would have the peer compute them anew in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace halftone {

struct ConstantWeightsOptions {
  // Float ConstantOfShape nodes of constant shape become initializers with random values. For
  // networks of which only the topology counts: their outputs mean nothing.
  bool random_weights = false;
  std::uint64_t seed = 1;
  // Sizes for free dimensions of the inputs, by name.
  std::map<std::string, std::int64_t> dimensions;
};

struct ConstantWeights {
  std::string model;  // the bytes of the model as rewritten
  std::size_t random_weights = 0;
  std::size_t fixed_dimensions = 0;

  // True if it computes something else than the original: both programs must then read this model.
  [[nodiscard]] bool is_another_network() const { return random_weights + fixed_dimensions > 0; }
};

// Removes initializers from the list of inputs, and raises the IR version to 4 or higher, which
// makes them constants. Random matrices are uniform with variance 1 / fan-in, scales and variances
// in [0.5, 1.5), biases and means in [-0.1, 0.1). Error kModel: not an ONNX model.
ConstantWeights MakeWeightsConstant(std::string_view model,
                                    const ConstantWeightsOptions& options = {});

}  // namespace halftone
