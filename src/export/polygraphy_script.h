// A script of Polygraphy that gives the layers of a TensorRT network their precision: TensorRT 8.6
// to 10.x.
#pragma once

#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Writes Python for --trt-network-postprocess-script: postprocess(network) sets precision and types
// of results of the layers that differ from the most frequent 16-bit type. The flag of that type,
// --fp16 or --bf16, is part of the command. Unlike arguments of trtexec, the script takes any
// number of layers, with any name. Errors as TensorRtTypesOf(). Source: Polygraphy of TensorRT
// 10.16, examples/cli/run/08_adding_precision_constraints.
ExportedText WritePolygraphyScript(const Graph& network, const PrecisionPlan& plan);

}  // namespace halftone
