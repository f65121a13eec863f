// ExplainedPlan of a plan: the dtype of each operator, and the rule that decided it.
#pragma once

#include <string>
#include <vector>

#include "halftone/network.h"

namespace halftone {

struct ExplainQuestion {
  std::string format = "table";  // table, json, csv
  std::string node;              // only this node, or "OpType::<IR type>"; empty: all
  bool steps = false;            // nodes of each step, and why neighbours are separate
};

struct ExplainedPlan {
  std::string text;
  std::vector<std::string> warnings;  // full sentences, with those of the network
};

// Error kUsage: another format, a node that the network does not have.
ExplainedPlan Explain(const ConfiguredNetwork& network, const ExplainQuestion& question = {});

}  // namespace halftone
