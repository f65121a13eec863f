// Dtypes at the inputs and outputs of a network: --input_fp16_nodes and --output_type.
#pragma once

#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_options.h"

namespace halftone {

// Checks --output_type without a graph. Error kUsage E10001: an unknown type, an item that is not
// "node:index:type".
void CheckOutputType(const std::string& output_type);

// Parallel to graph.inputs; empty when the option is not given. Error kUsage E10001 for a name that
// is no graph input, or one that is not a float.
std::vector<DType> GraphInputDTypes(const Graph& graph, const PrecisionOptions& options);

// Parallel to graph.outputs; empty when the option is not given. One type for all outputs (FP32,
// FP16, UINT8, INT8), or "node:index:type;...". Outputs that are not floats keep their type under
// one type for all, with a warning. Errors as CheckOutputType(), and kUsage E10001 for a node or
// index that is no graph output and for the same output twice.
std::vector<DType> GraphOutputDTypes(const Graph& graph, const PrecisionOptions& options,
                                     std::vector<std::string>& warnings);

}  // namespace halftone
