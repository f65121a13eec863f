// Pairs of QuantizeLinear and DequantizeLinear nodes for a network in int8, with the scales, zero
// points and rounded weights that they read. Activations are uint8 with one scale. Weights are int8
// with a scale for each channel. Biases are int32 in the scale of the sums of products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "labs/onnxruntime/quantized_model.h"
#include "src/ir/tensor.h"

namespace onnx {
class GraphProto;
}  // namespace onnx

namespace halftone {

// Operator domain that has both operators in every opset.
inline constexpr const char* kPairsDomain = "com.microsoft";

class QuantizePairs {
 public:
  // Nodes and initializers are added to `graph`, which must outlive this.
  explicit QuantizePairs(onnx::GraphProto& graph) : graph_(graph) {}

  // Adds the value `to`, which is `from` rounded to 256 steps over the hull of `range` and 0.
  void AddActivation(const std::string& from, const std::string& to, const PeerRange& range);

  // Adds `values` rounded to int8, with a scale for each index of `axis`; a further call with this
  // name and axis adds nothing. Returns the name of the dequantized value.
  std::string AddWeights(const std::string& name, const Tensor& values, std::size_t axis);

  // Adds `bias` rounded to the scale of the sums of products of `weights`, a name from
  // AddWeights(), and inputs with `input_range`. Returns the name of the dequantized value; empty
  // if the lengths of bias and weight scales differ.
  std::string AddBias(const std::string& name, const Tensor& bias, const std::string& weights,
                      const PeerRange& input_range);

 private:
  // Adds <name>_dequantized, which is computed from rounded values, scales and zero points.
  template <typename T>
  std::string AddChannels(const std::string& name, int type, const std::vector<std::int64_t>& dims,
                          const std::vector<T>& values, const std::vector<float>& scales,
                          std::size_t axis);
  void AddDequantize(const std::string& from, const std::string& scale, const std::string& zero,
                     const std::string& to, std::size_t axis);
  template <typename T>
  void AddTensor(const std::string& name, int type, const std::vector<std::int64_t>& dims,
                 const std::vector<T>& values);

  onnx::GraphProto& graph_;
  // Scales of weights, by result of AddWeights().
  std::map<std::string, std::vector<float>> scales_;
  std::size_t biases_ = 0;
};

}  // namespace halftone
