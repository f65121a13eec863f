#include "src/export/mnn_compression.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "src/base/error.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kWeightBits = 8;
constexpr std::string_view kConverted = "__matmul_converted";
// Spellings of a member: as protocol buffers write JSON, and as they read it as well.
constexpr const char* kNames[] = {"opName", "op_name"};
constexpr const char* kParameters[] = {"quantParams", "quant_params"};

// The member of an object; null: it has neither spelling.
Json* Find(Json& object, const char* const (&spellings)[2]) {
  for (const char* const name : spellings) {
    if (object.is_object() && object.contains(name)) {
      return &object[name];
    }
  }
  return nullptr;
}

// The layers of an algorithm of quantisation; null: it has none.
Json* LayersOf(Json& algorithm) {
  Json* parameters = Find(algorithm, kParameters);
  if (parameters == nullptr || !parameters->is_object() || !parameters->contains("layer")) {
    return nullptr;
  }
  return &(*parameters)["layer"];
}

// The list of algorithms, which a few versions write inside of "pipeline".
Json* AlgorithmsOf(Json& document) {
  Json* outer =
      document.is_object() && document.contains("pipeline") ? &document["pipeline"] : &document;
  return outer->is_object() && outer->contains("algo") ? &(*outer)["algo"] : nullptr;
}

class CompressionFile {
 public:
  CompressionFile(std::string_view json, std::string_view where) : where_(where) {
    static_cast<void>(ParseStrictJson(json, where));  // its messages have lines
    document_ = Json::parse(json);
    Json* algorithms = AlgorithmsOf(document_);
    if (algorithms == nullptr || !algorithms->is_array()) {
      Refuse(
          "expected a list \"algo\", as MNNConvert --compressionParamsFile writes it; found none");
    }
    for (Json& algorithm : *algorithms) {
      if (Json* layers = LayersOf(algorithm)) {
        if (!layers->is_array()) {
          Refuse("expected a list as \"layer\"");
        }
        for (Json& layer : *layers) {
          ReadLayer(layer);
        }
      }
    }
  }

  // Whether the file has the operator that makes a tensor.
  bool SetBits(const std::string& tensor, int bits) {
    bool found = false;
    for (const std::string& name : {tensor, tensor + std::string(kConverted)}) {
      const auto range = layers_.equal_range(name);
      for (auto layer = range.first; layer != range.second; ++layer) {
        for (Json& weight : (*layer->second)["weight"]) {
          weight["bits"] = bits;
        }
        found = true;
      }
    }
    return found;
  }

  // As the file is laid out: in one line, or with an indent of 1 as protocol buffers have it.
  [[nodiscard]] std::string Text(std::string_view json) const {
    const bool in_lines = Trim(json).find('\n') != std::string_view::npos;
    return document_.dump(in_lines ? 1 : -1) + (json.ends_with('\n') ? "\n" : "");
  }

 private:
  [[noreturn]] void Refuse(std::string_view what) const {
    throw Error(ErrorKind::kUsage, fmt::format("{}: {}", where_, what));
  }

  void ReadLayer(Json& layer) {
    Json* name = Find(layer, kNames);
    if (name == nullptr || !name->is_string()) {
      Refuse("expected a text as \"opName\" or \"op_name\" of each layer");
    }
    if (!layer.contains("weight")) {
      return;
    }
    Json& weights = layer["weight"];
    if (!weights.is_array() ||
        !std::ranges::all_of(weights, [](const Json& weight) { return weight.is_object(); })) {
      Refuse(fmt::format("expected a list of objects as \"weight\" of '{}'",
                         Shown(name->get<std::string>())));
    }
    layers_.emplace(name->get<std::string>(), &layer);
  }

  std::string_view where_;
  Json document_;
  std::multimap<std::string, Json*> layers_;  // that have weights, by name
};

}  // namespace

ExportedText PatchMnnCompression(std::string_view json, std::string_view where,
                                 const std::vector<PlannedNode>& nodes) {
  if (std::ranges::none_of(nodes,
                           [](const PlannedNode& node) { return node.compute.has_scale(); })) {
    throw Error(ErrorKind::kUnsupported,
                "the plan has no operator in 8 bits, and compression parameters of MNN are bits of "
                "weights; 16 bits are the precision of the program that loads the network");
  }
  CompressionFile file(json, where);
  ExportedText patched;
  bool found = false;
  for (const PlannedNode& node : nodes) {
    const bool in_8_bits = node.compute.has_scale();
    if (file.SetBits(node.output, in_8_bits ? kWeightBits : 0)) {
      found = true;
      if (in_8_bits) {
        patched.losses.push_back(
            LossOf(node.output, node.compute, "weights of 8 bits",
                   "operators whose weights alone are in 8 bits, with scales of MNN's own"));
      }
    } else if (in_8_bits) {
      patched.losses.push_back(LossOf(node.output, node.compute, "",
                                      "operators in 8 bits that the file has no weights for"));
    }
    if (IsTunable(node.compute.dtype()) && !in_8_bits && node.compute != DType::kFloat32) {
      patched.losses.push_back(
          LossOf(node.output, node.compute, "float32",
                 "operators in 16 bits, which the file cannot tell from float32"));
    }
  }
  if (!found) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: has none of the operators of the model by the names of their "
                            "results; expected the file that MNNConvert wrote for it",
                            where));
  }
  patched.text = file.Text(json);
  return patched;
}

}  // namespace halftone
