// Script of Polygraphy that gives the layers of a TensorRT network their precision: TensorRT 8.6 to
// 10.x.
#pragma once

#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Writes Python for --trt-network-postprocess-script. Its postprocess(network) sets precision and
// result types of the layers whose type is not the plan's most frequent 16-bit type. The command
// has a flag for each 16-bit type of the plan, --fp16 and --bf16. Unlike arguments of trtexec, the
// script takes any number of layers, with any name. Errors as TensorRtTypesOf(). Source: Polygraphy
// of TensorRT 10.16, examples/cli/run/08_adding_precision_constraints.
ExportedText WritePolygraphyScript(const Graph& network, const PrecisionPlan& plan);

}  // namespace halftone
