// The table of nodes that `qaic-compile` prints: precision and reason of each.
#pragma once

#include <cstddef>
#include <string>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/qaic/node_choice.h"

namespace halftone {

// Precision in which the plan computes a node: "FP16", "FP32", "Int8"; "FP16 to FP32" where the
// result differs.
std::string PrecisionText(const NodePrecision& precision);

// Columns: first output, kind, precision (of nodes without a type to choose, that of the result:
// "int64"), reason. A line behind the rows has the count of each precision.
std::string NodeTable(const Graph& graph, const PrecisionPlan& plan, const NodeChoices& choices,
                      std::size_t columns);

}  // namespace halftone
