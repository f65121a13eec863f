// Explanation of a configuration: the dtype of each operator of the network, and the rule that
// decided it.
#pragma once

#include <string>
#include <vector>

#include "halftone/network.h"

namespace halftone {

struct ExplainQuestion {
  std::string format = "table";  // "table", "json" or "csv"
  // Name of the only node to explain, or "OpType::<type>" for all nodes of one operator type, as in
  // a keep_dtype file. Empty: all nodes.
  std::string node;
  bool steps = false;  // adds the nodes of each kernel call, and why neighbours are not fused
};

struct ExplainedPlan {
  std::string text;
  std::vector<std::string> warnings;  // full sentences, including those of the network
};

// Explains the network at its first input shape. Error kUsage: an unknown format, or a node that
// the network does not have.
ExplainedPlan Explain(const ConfiguredNetwork& network, const ExplainQuestion& question = {});

}  // namespace halftone
