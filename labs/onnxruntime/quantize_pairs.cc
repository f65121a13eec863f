#include "labs/onnxruntime/quantize_pairs.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace halftone {
namespace {

float ScaleOf(const PeerRange& range) {
  const float width = std::max(range.high, 0.0F) - std::min(range.low, 0.0F);
  return width > 0 ? width / 255 : 1;
}

}  // namespace

void QuantizePairs::AddActivation(const std::string& from, const std::string& to,
                                  const PeerRange& range) {
  const float scale = ScaleOf(range);
  const auto zero = static_cast<std::uint8_t>(
      std::clamp(std::nearbyint(-std::min(range.low, 0.0F) / scale), 0.0F, 255.0F));
  AddTensor(to + "_scale", onnx::TensorProto::FLOAT, {}, std::vector<float>{scale});
  AddTensor(to + "_zero", onnx::TensorProto::UINT8, {}, std::vector<std::uint8_t>{zero});
  onnx::NodeProto& quantize = *graph_.add_node();
  quantize.set_op_type("QuantizeLinear");
  quantize.set_domain(kPairsDomain);
  quantize.add_input(from);
  quantize.add_input(to + "_scale");
  quantize.add_input(to + "_zero");
  quantize.add_output(to + "_uint8");
  AddDequantize(to + "_uint8", to + "_scale", to + "_zero", to, 0);
}

std::string QuantizePairs::AddWeights(const std::string& name, const Tensor& values,
                                      std::size_t axis) {
  std::string rounded = fmt::format("{}_int8_{}_dequantized", name, axis);
  if (scales_.contains(rounded)) {
    return rounded;
  }
  const Shape& shape = values.shape();
  const auto channels = static_cast<std::size_t>(shape[static_cast<int>(axis)]);
  const auto inner =
      static_cast<std::size_t>(shape.ElementCount(static_cast<int>(axis) + 1, shape.rank()));
  const auto channel_of = [&](std::size_t i) { return (i / inner) % channels; };
  std::vector<float> scales(channels, 0);
  const std::span<const float> floats = values.values<float>();
  for (std::size_t i = 0; i < floats.size(); ++i) {
    scales[channel_of(i)] = std::max(scales[channel_of(i)], std::abs(floats[i]) / 127);
  }
  for (float& scale : scales) {
    scale = scale > 0 ? scale : 1;
  }
  std::vector<std::int8_t> bytes(floats.size());
  for (std::size_t i = 0; i < floats.size(); ++i) {
    bytes[i] = static_cast<std::int8_t>(std::nearbyint(floats[i] / scales[channel_of(i)]));
  }
  AddChannels(fmt::format("{}_int8_{}", name, axis), onnx::TensorProto::INT8, shape.dims(), bytes,
              scales, axis);
  scales_.emplace(rounded, std::move(scales));
  return rounded;
}

std::string QuantizePairs::AddBias(const std::string& name, const Tensor& bias,
                                   const std::string& weights, const PeerRange& input_range) {
  using Limits = std::numeric_limits<std::int32_t>;
  const std::vector<float>& of_weights = scales_.at(weights);
  const std::span<const float> floats = bias.values<float>();
  if (floats.size() != of_weights.size()) {
    return {};
  }
  std::vector<float> scales(floats.size());
  std::vector<std::int32_t> sums(floats.size());
  for (std::size_t i = 0; i < floats.size(); ++i) {
    scales[i] = of_weights[i] * ScaleOf(input_range);
    const double sum = std::nearbyint(static_cast<double>(floats[i]) / scales[i]);
    sums[i] = static_cast<std::int32_t>(
        std::clamp(sum, static_cast<double>(Limits::min()), static_cast<double>(Limits::max())));
  }
  return AddChannels(fmt::format("{}_sums_{}", name, biases_++), onnx::TensorProto::INT32,
                     {std::ssize(floats)}, sums, scales, 0);
}

template <typename T>
std::string QuantizePairs::AddChannels(const std::string& name, int type,
                                       const std::vector<std::int64_t>& dims,
                                       const std::vector<T>& values,
                                       const std::vector<float>& scales, std::size_t axis) {
  const auto channels = std::ssize(scales);
  AddTensor(name, type, dims, values);
  AddTensor(name + "_scale", onnx::TensorProto::FLOAT, {channels}, scales);
  AddTensor(name + "_zero", type, {channels}, std::vector<T>(scales.size(), 0));
  AddDequantize(name, name + "_scale", name + "_zero", name + "_dequantized", axis);
  return name + "_dequantized";
}

void QuantizePairs::AddDequantize(const std::string& from, const std::string& scale,
                                  const std::string& zero, const std::string& to,
                                  std::size_t axis) {
  onnx::NodeProto& dequantize = *graph_.add_node();
  dequantize.set_op_type("DequantizeLinear");
  dequantize.set_domain(kPairsDomain);
  dequantize.add_input(from);
  dequantize.add_input(scale);
  dequantize.add_input(zero);
  dequantize.add_output(to);
  onnx::AttributeProto& attribute = *dequantize.add_attribute();
  attribute.set_name("axis");
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(static_cast<std::int64_t>(axis));
}

template <typename T>
void QuantizePairs::AddTensor(const std::string& name, int type,
                              const std::vector<std::int64_t>& dims, const std::vector<T>& values) {
  onnx::TensorProto& tensor = *graph_.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const std::int64_t extent : dims) {
    tensor.add_dims(extent);
  }
  tensor.set_raw_data(values.data(), values.size() * sizeof(T));
}

}  // namespace halftone
