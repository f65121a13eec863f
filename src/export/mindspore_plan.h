// [execution_plan] of MindSpore Lite: the type of each operator of a converted model.
#pragma once

#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Writes an INI file for Model::LoadConfig(): "conv1=data_type:float16". Error kUnsupported: the
// plan has an operator in a scaled format, or none in float16. Losses: operators whose names the
// file cannot hold, and operators in other formats, which stand in float32. Source: mindspore.cn,
// "Mixed Precision Inference" of the C++ interface.
ExportedText WriteMindSporePlan(const Graph& network, const PrecisionPlan& plan);

}  // namespace halftone
