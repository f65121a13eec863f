// The [execution_plan] of MindSpore Lite: the type of each operator of a converted model.
#pragma once

#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// An INI file, read by Model::LoadConfig(): "conv1=data_type:float16". Error kUnsupported: a plan
// with 8 bits, or without float16. Source: mindspore.cn, "Mixed Precision Inference" of the C++
// interface.
ExportedText WriteMindSporePlan(const Graph& network, const PrecisionPlan& plan);

}  // namespace halftone
