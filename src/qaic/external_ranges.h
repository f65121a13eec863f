// Scales and ranges that another tool's table (-external-quantization) gives the tensors of a
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
  GivenScales scales;      // of the tensors for which the table gives scales
  ValueProfiles profiles;  // of the tensors for which it gives a range only; no histograms
  // First outputs that the table holds in floating point. Their nodes are not quantized.
  std::vector<std::string> fp16_outputs;
  std::vector<std::string> fp32_outputs;
  std::vector<std::string> notes;  // RangeTable::notes
};

// The entries of the table that have the name of a floating tensor of the network. Error kUsage: no
// entry matches, or only entries with scales of weights do. `where` is the path of the table, for
// messages.
ExternalRanges MatchExternal(const Graph& graph, const RangeTable& table, std::string_view where);

// The nodes for whose tensors a quantisation has scales: the nodes that `choices` has in integers,
// and every other node that could be in integers and has all ranges. The scales therefore do not
// depend on which nodes are in FP16 or FP32.
NodeChoices ScaledNodes(const Graph& graph, const NodeChoices& choices,
                        const ValueProfiles& profiles, const GivenScales& given);

// Sets nodes in integers to their original precision if one of their tensors has neither a scale
// nor a range: such tables leave out tensors that stay in floating point. A tensor that only a
// fused Relu or Clip reads needs neither if the result of that node has one. A warning in `choices`
// lists the nodes.
void KeepUnranged(const Graph& graph, const ExternalRanges& ranges, NodeChoices& choices);

}  // namespace halftone
