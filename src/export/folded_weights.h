// Weights that fusion multiplied by the operators behind them: BatchNormalization, constant
// factors.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "src/export/source_file.h"
#include "src/ir/graph.h"

namespace halftone {

struct FoldedWeights {
  int node = -1;               // index in the file: the Conv or ConvTranspose
  std::set<int> folded;        // indices in the file: nodes whose work the weights do too
  std::string result;          // tensor of the file: the result of the last of these nodes
  ValueId weights = kNoValue;  // constant of the fused graph
  ValueId bias = kNoValue;     // constant of the fused graph; kNoValue: none
};

// True if `step`, a Conv or ConvTranspose of the fused graph, has constant weights that are no
// tensor of the network.
bool HasFoldedWeights(const SourceFile& file, const Graph& fused, const Node& step);

// Empty if the step has none, or if its nodes do not follow each other in the file.
std::optional<FoldedWeights> FoldedWeightsOf(const SourceFile& file, const Graph& fused,
                                             const Node& step);

}  // namespace halftone
