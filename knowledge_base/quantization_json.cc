#include "knowledge_base/quantization_json.h"

#include <optional>
#include <string>
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

json HexOf(const std::optional<Hash128>& hash) {
  return hash ? json(hash->ToHex()) : json();
}

std::optional<Hash128> HashFrom(const json& value) {
  return value.is_null() ? std::nullopt : Hash128::FromHex(value.get<std::string>());
}

json ToJson(const QuantizationSource& source) {
  return {source.tool_version, HexOf(source.model), HexOf(source.calibration_data),
          TextToJson(source.method), source.samples};
}

QuantizationSource SourceFrom(const json& value) {
  return {.tool_version = value.at(0).get<std::string>(),
          .model = HashFrom(value.at(1)),
          .calibration_data = HashFrom(value.at(2)),
          .method = TextFromJson(value.at(3)),
          .samples = value.at(4).get<std::int64_t>()};
}

}  // namespace

json QuantizationToJson(const SharedQuantization& shared) {
  const Quantization& quantization = *shared;
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
  if (shared.source() != QuantizationSource()) {
    document["source"] = ToJson(shared.source());
  }
  return document;
}

SharedQuantization QuantizationFromJson(const json& value) {
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
  const bool has_source = value.contains("source");
  if (value.size() != 4U + (has_factors ? 1U : 0U) + (has_source ? 1U : 0U)) {
    throw Error(
        ErrorKind::kDatabase,
        "a stored candidate has unknown keys in its quantization: it was written by a newer "
        "halftone");
  }
  return SharedQuantization(std::move(quantization),
                            has_source ? SourceFrom(value.at("source")) : QuantizationSource());
}

}  // namespace halftone
