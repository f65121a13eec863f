// A float network as ONNX Runtime computes it in int8: every activation between quantizable
// operators is rounded to uint8 with the range that calibration saw, weights to int8 with a scale
// for each output channel (QuantizeLinear and DequantizeLinear pairs, which the runtime fuses into
// its integer operators).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Extremes of a value as the calibration for the other runtime saw them.
struct PeerRange {
  float low = 0;
  float high = 0;
};

// Names of the values whose ranges quantization needs, inputs of the network included. Error
// kModel: not an ONNX model.
std::vector<std::string> QuantizedValues(std::string_view model);

// The model with `values` as further outputs, behind its own.
std::string WithOutputs(std::string_view model, const std::vector<std::string>& values);

// The quantized model for `ranges` of QuantizedValues(); values without a range (other element
// types, infinities) stay as they are. Error kModel: not an ONNX model.
std::string QuantizedModel(std::string_view model, const std::map<std::string, PeerRange>& ranges);

}  // namespace halftone
