// The QuantizeLinear and DequantizeLinear pairs of a network in int8, with the scales, zero points
// and rounded weights they read. Activations are uint8 with one scale, weights int8 with a scale
// for each channel, biases int32 in the scale of the sums.
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

// Domain in which the two operators exist whatever the opset of the model is.
inline constexpr const char* kPairsDomain = "com.microsoft";

class QuantizePairs {
 public:
  // Adds nodes and initializers to `graph`, which outlives this.
  explicit QuantizePairs(onnx::GraphProto& graph) : graph_(graph) {}

  // Adds `to`: `from` rounded to 256 steps over `range` and zero.
  void AddActivation(const std::string& from, const std::string& to, const PeerRange& range);

  // Adds `values` rounded to int8 with a scale for each index of `axis`, once; returns the name.
  std::string AddWeights(const std::string& name, const Tensor& values, std::size_t axis);

  // Adds `bias` rounded to the scale of sums of products of `weights`, a name that AddWeights()
  // gave, and inputs of `input_range`; returns the name, empty where the lengths differ.
  std::string AddBias(const std::string& name, const Tensor& bias, const std::string& weights,
                      const PeerRange& input_range);

 private:
  // Adds from_dequantized, made of from, from_scale and from_zero.
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
  std::map<std::string, std::vector<float>> scales_;  // of weights, by their rounded name
  std::size_t biases_ = 0;
};

}  // namespace halftone
