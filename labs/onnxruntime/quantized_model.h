// A float network as ONNX Runtime computes it in int8. Every activation between quantizable
// operators is rounded to uint8 with the range from the calibration. Weights are rounded to int8
// with a scale for each output channel. The rounding is done by pairs of QuantizeLinear and
// DequantizeLinear, which the runtime fuses into its integer operators.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Range of a value, from the calibration for ONNX Runtime.
struct PeerRange {
  float low = 0;
  float high = 0;
};

// Names of the values whose ranges QuantizedModel() needs, including inputs of the network. Error
// kModel: not an ONNX model.
std::vector<std::string> QuantizedValues(std::string_view model);

// The model with `values` as additional outputs, after its own.
std::string WithOutputs(std::string_view model, const std::vector<std::string>& values);

// The quantized model. `ranges` are those of QuantizedValues(); a value without a range (of another
// element type, or with infinities) stays unchanged. Error kModel: not an ONNX model.
std::string QuantizedModel(std::string_view model, const std::map<std::string, PeerRange>& ranges);

}  // namespace halftone
