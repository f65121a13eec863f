// Precision of each node by the lists and flags of the Cloud AI compiler.
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
  // FP32NodeInstanceNames and FP16NodeInstanceNames: first outputs of nodes.
  std::vector<std::string> fp32_outputs;
  std::vector<std::string> fp16_outputs;
  std::vector<std::string> kept_kinds;  // -keep-original-precision-for-nodes
  std::vector<std::string> fp16_kinds;  // -execute-nodes-in-fp16
  // First outputs that the table of -external-quantization holds in float16, and those in float32.
  std::vector<std::string> external_fp16;
  std::vector<std::string> external_fp32;
  bool to_fp16 = false;  // -convert-to-fp16
  bool quantizes = false;
  QaicPrecision integers = QaicPrecision::kInt8;  // of quantized nodes
};

struct NodeChoice {
  QaicPrecision precision = QaicPrecision::kOriginal;
  std::string reason;  // a clause
};

struct NodeChoices {
  std::vector<NodeChoice> nodes;                  // parallel to Graph::nodes
  QaicPrecision integers = QaicPrecision::kInt8;  // of the request
  std::vector<std::string> warnings;              // full sentences
};

// True if the node has a floating operand or result whose type precision options can change.
bool HasChosenType(const Graph& graph, const Node& node);

// The first of these rules that matches decides: fp32_outputs, fp16_outputs, kept_kinds,
// fp16_kinds, to_fp16, external_fp16, external_fp32, quantizes. `quantizes` leaves kinds with
// QuantizedRule::kNone in their original precision.
//
// Error kUsage:
// - a name is in both lists;
// - a name is not the first output of a node, but a further output, the name of a node, an input of
//   the network, or unknown (the message says which name is meant or is close);
// - a kind is no ONNX kind (the message names the closest).
//
// Warnings:
// - the network has no node of a kind;
// - a name means a node that computes nothing here, or that has no floating tensor;
// - a convolution and the BatchNormalization behind it have different precisions.
NodeChoices ChooseNodes(const Graph& graph, const NodeChoiceRequest& request);

// Check before profiling, which runs FP16 nodes in float16. Error kUnsupported: this CPU has no
// float16 kernel for some of them. The message names those nodes.
void RequireFloat16Kernels(const Graph& graph, const NodeChoices& choices);

}  // namespace halftone
