// Makes the weights of a model constants that both programs can fold and pack: what files of older
// or of smaller form would otherwise have the peer compute anew in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace halftone {

struct ConstantWeightsOptions {
  // Float ConstantOfShape nodes of constant shape become initializers with random values. For
  // networks that stand for their topology only: their outputs say nothing.
  bool random_weights = false;
  std::uint64_t seed = 1;
  // Sizes for free dimensions of the inputs, by name.
  std::map<std::string, std::int64_t> dimensions;
};

struct ConstantWeights {
  std::string model;  // the bytes of the model as rewritten
  std::size_t random_weights = 0;
  std::size_t fixed_dimensions = 0;

  // Whether it computes something else than the original: then both programs have to read it.
  [[nodiscard]] bool is_another_network() const { return random_weights + fixed_dimensions > 0; }
};

// Initializers are no longer listed as inputs, and the IR version is 4 or higher, from which on
// that makes them constants. Random matrices are uniform with variance 1 / fan-in, scales and
// variances in [0.5, 1.5), biases and means in [-0.1, 0.1). Error kModel: not an ONNX model.
ConstantWeights MakeWeightsConstant(std::string_view model,
                                    const ConstantWeightsOptions& options = {});

}  // namespace halftone
