// Dtypes of the inputs and outputs of a network, by --input_fp16_nodes and --output_type.
#pragma once

#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_options.h"

namespace halftone {

// Checks the text of --output_type, without a graph. It is one type for all outputs (FP32, FP16,
// UINT8, INT8), or "node:index:type;...". Error kUsage E10001: an unknown type, or an item of
// another form.
void CheckOutputType(const std::string& output_type);

// The dtype of each input of the graph; no elements if --input_fp16_nodes is not given. Error
// kUsage E10001: a name is no input of the graph, or the input is not a float.
std::vector<DType> GraphInputDTypes(const Graph& graph, const PrecisionOptions& options);

// The dtype of each output of the graph; no elements if --output_type is not given. If the option
// has one type for all outputs, outputs that are not floats keep their type, with a warning. Errors
// as CheckOutputType(). Error kUsage E10001 also: an item names no output of the graph, or an
// output that an earlier item names.
std::vector<DType> GraphOutputDTypes(const Graph& graph, const PrecisionOptions& options,
                                     std::vector<std::string>& warnings);

}  // namespace halftone
