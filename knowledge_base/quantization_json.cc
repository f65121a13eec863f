#include "knowledge_base/quantization_json.h"

#include <utility>
#include <vector>

#include "knowledge_base/text_json.h"
#include "src/base/error.h"

namespace halftone {
namespace {

using nlohmann::json;

// Floats are written as the doubles that they are, which nlohmann writes so that they read back.
std::vector<double> Doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

std::vector<float> Floats(const json& values) {
  std::vector<float> floats;
  for (const double value : values.get<std::vector<double>>()) {
    floats.push_back(static_cast<float>(value));
  }
  return floats;
}

}  // namespace

json QuantizationToJson(const Quantization& quantization) {
  // Pairs and triples, since no key can be a name that is not UTF-8.
  json activations = json::array();
  for (const auto& [name, scale] : quantization.activations) {
    activations.push_back({TextToJson(name), static_cast<double>(scale.scale), scale.zero_point});
  }
  json weights = json::array();
  for (const auto& [name, scales] : quantization.weights) {
    weights.push_back({TextToJson(name), Doubles(scales.scales), scales.zero_points});
  }
  json shifts = json::array();
  for (const auto& [name, shift] : quantization.bias_shifts) {
    shifts.push_back({TextToJson(name), Doubles(shift)});
  }
  json document = {{"activations", std::move(activations)},
                   {"weights", std::move(weights)},
                   {"per_channel_weights", quantization.per_channel_weights},
                   {"bias_shifts", std::move(shifts)}};
  if (!quantization.channel_factors.empty()) {  // else as versions without factors wrote it
    json factors = json::array();
    for (const auto& [name, of_value] : quantization.channel_factors) {
      factors.push_back({TextToJson(name), of_value.axis, Doubles(of_value.factors)});
    }
    document["channel_factors"] = std::move(factors);
  }
  return document;
}

Quantization QuantizationFromJson(const json& value) {
  Quantization quantization;
  for (const json& item : value.at("activations")) {
    quantization.activations.emplace(
        TextFromJson(item.at(0)),
        ActivationScale{.scale = static_cast<float>(item.at(1).get<double>()),
                        .zero_point = item.at(2).get<std::int32_t>()});
  }
  for (const json& item : value.at("weights")) {
    quantization.weights.emplace(
        TextFromJson(item.at(0)),
        WeightScales{.scales = Floats(item.at(1)),
                     .zero_points = item.at(2).get<std::vector<std::int32_t>>()});
  }
  quantization.per_channel_weights = value.at("per_channel_weights").get<bool>();
  for (const json& item : value.at("bias_shifts")) {
    quantization.bias_shifts.emplace(TextFromJson(item.at(0)), Floats(item.at(1)));
  }
  const bool has_factors = value.contains("channel_factors");
  if (has_factors) {
    for (const json& item : value.at("channel_factors")) {
      quantization.channel_factors.emplace(
          TextFromJson(item.at(0)),
          ChannelFactors{.axis = item.at(1).get<int>(), .factors = Floats(item.at(2))});
    }
  }
  if (value.size() != (has_factors ? 5U : 4U)) {
    throw Error(
        ErrorKind::kDatabase,
        "a stored candidate has unknown keys in its quantization: it was written by a newer "
        "halftone");
  }
  return quantization;
}

}  // namespace halftone
