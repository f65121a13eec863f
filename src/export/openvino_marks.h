// Tensors that OpenVINO keeps in float32 while a hint lowers the rest of a network to 16 bits.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Marks by names of ONNX, which OpenVINO keeps at the results of its operators. A mark on a tensor
// covers the operator that makes it and the operators before it, up to the next tensor of `all`.
// These are all operators that the converter made of one ONNX node, with its weights.
struct OpenVinoMarks {
  std::vector<std::string> float32;  // results of operators in float32, in the order of the network
  std::set<std::string> all;         // inputs and results of operators
  NumericFormat hint;                // float16 or bfloat16: the type of everything else
  // Operators in a third type. They are written as float32, because there is only one hint.
  std::vector<Loss> losses;
};

// Error kUnsupported: the plan has operators in 8 bits, or none in 16 bits.
OpenVinoMarks OpenVinoMarksOf(const Graph& network, const PrecisionPlan& plan);

// "f16" or "bf16", for benchmark_app -infer_precision and INFERENCE_PRECISION_HINT.
std::string HintOf(const OpenVinoMarks& marks);

// Writes the marks as JSON, {"hint", "fp32_tensors", "all_tensors"}. mark_openvino.py lies beside
// it and marks an IR by it, with OpenVINO's own Python package. Errors as OpenVinoMarksOf().
// Source: OpenVINO, transformations/rt_info/disable_fp16_compression.hpp.
ExportedText WriteOpenVinoMarks(const Graph& network, const PrecisionPlan& plan);

}  // namespace halftone
