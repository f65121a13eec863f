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
  int node = -1;               // of the file: the Conv or ConvTranspose
  std::set<int> folded;        // nodes of the file that the weights stand for as well
  std::string result;          // tensor of the file behind them
  ValueId weights = kNoValue;  // constants of the fused graph
  ValueId bias = kNoValue;     // kNoValue: none
};

// True if a float step of the fused graph has weights that are no tensor of the network.
bool HasFoldedWeights(const SourceFile& file, const Graph& fused, const Node& step);

// Empty: the step has none, or its nodes do not follow each other in the file.
std::optional<FoldedWeights> FoldedWeightsOf(const SourceFile& file, const Graph& fused,
                                             const Node& step);

}  // namespace halftone
