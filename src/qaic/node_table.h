// Table that `qaic-compile` prints: the precision of each node, and the reason.
#pragma once

#include <cstddef>
#include <string>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/qaic/node_choice.h"

namespace halftone {

// Precision in which the plan computes a node: "FP16", "FP32", "Int8". "FP16 to FP32" if its result
// has another precision.
std::string PrecisionText(const NodePrecision& precision);

// Columns: first output, kind, precision, reason. A node without HasChosenType() has the type of
// its first result as its precision: "int64". A last line counts the nodes of each precision.
// `columns` is the width of the screen.
std::string NodeTable(const Graph& graph, const PrecisionPlan& plan, const NodeChoices& choices,
                      std::size_t columns);

}  // namespace halftone
