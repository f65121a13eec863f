// Precision of each node by the lists and flags of the Cloud AI compiler: the first rule that
// matches wins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/enum_table.h"
#include "src/ir/graph.h"

namespace halftone {

enum class QaicPrecision : std::uint8_t { kOriginal, kFloat32, kFloat16, kInt8, kInt16 };

inline constexpr EnumRow<QaicPrecision> kQaicPrecisions[] = {
    {QaicPrecision::kOriginal, "original", "the types of the model"},
    {QaicPrecision::kFloat32, "FP32", "float32"},
    {QaicPrecision::kFloat16, "FP16", "float16"},
    {QaicPrecision::kInt8, "Int8", "8-bit integers with a scale and an offset"},
    {QaicPrecision::kInt16, "Int16", "16-bit integers with a scale and an offset"},
};

constexpr std::string_view NameOf(QaicPrecision precision) {
  return NameIn(kQaicPrecisions, precision);
}

// Lists and flags that decide the precision of nodes.
struct NodeChoiceRequest {
  std::vector<std::string> fp32_outputs;  // FP32NodeInstanceNames: first outputs of nodes
  std::vector<std::string> fp16_outputs;  // FP16NodeInstanceNames
  std::vector<std::string> kept_kinds;    // -keep-original-precision-for-nodes
  std::vector<std::string> fp16_kinds;    // -execute-nodes-in-fp16
  // First outputs that the table of -external-quantization holds in floating point.
  std::vector<std::string> external_fp16;
  std::vector<std::string> external_fp32;
  bool to_fp16 = false;  // -convert-to-fp16
  bool quantizes = false;
  QaicPrecision integers = QaicPrecision::kInt8;  // of quantized nodes
};

struct NodeChoice {
  QaicPrecision precision = QaicPrecision::kOriginal;
  std::string reason;  // one clause
};

struct NodeChoices {
  std::vector<NodeChoice> nodes;                  // parallel to Graph::nodes
  QaicPrecision integers = QaicPrecision::kInt8;  // of the request
  std::vector<std::string> warnings;              // full sentences
};

// True if the node has a floating operand or result whose type can be chosen.
bool HasChosenType(const Graph& graph, const Node& node);

// Error kUsage: a name in both lists; a name that is a further output of a node (naming its first),
// an input of the network, or nothing in it (with the closest names); a kind that is no ONNX kind
// (with the closest). Warnings: kinds that the network does not have, names of nodes that compute
// nothing here, and a convolution and its BatchNormalization of which only one is selected.
NodeChoices ChooseNodes(const Graph& graph, const NodeChoiceRequest& request);

// While profiling: error kUnsupported naming the nodes that are to run in FP16 without a float16
// kernel of this program.
void RequireFloat16Kernels(const Graph& graph, const NodeChoices& choices);

}  // namespace halftone
