// -external-quantization: the scales and ranges of another tool's table for the tensors of a
// network.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/qaic/glow_quantization.h"
#include "src/qaic/node_choice.h"
#include "src/quantization/files/range_table.h"

namespace halftone {

struct ExternalRanges {
  GivenScales scales;      // of tensors for which the table gives scales
  ValueProfiles profiles;  // of tensors that have a range only; without histograms
  // First outputs that the table holds in floating point: their nodes are not quantized.
  std::vector<std::string> fp16_outputs;
  std::vector<std::string> fp32_outputs;
  std::vector<std::string> notes;  // of the table, a sentence each
};

// The entries whose names are those of tensors of the network. Error kUsage: none is.
ExternalRanges MatchExternal(const Graph& graph, const RangeTable& table, std::string_view where);

// The nodes for whose tensors a quantisation has scales: those in Int8, and every other node that
// could be in Int8 and has its ranges. So the scales do not depend on which nodes are in FP16 or
// FP32.
NodeChoices ScaledNodes(const Graph& graph, const NodeChoices& choices,
                        const ValueProfiles& profiles, const GivenScales& given);

// Gives nodes in Int8 their original precision if one of their tensors has neither a scale nor a
// range, since such tables leave out tensors that stay in floating point. A tensor in front of a
// fused Relu or Clip needs neither. A warning lists the nodes.
void KeepUnranged(const Graph& graph, const ExternalRanges& ranges, NodeChoices& choices);

}  // namespace halftone
