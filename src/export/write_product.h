// Integer products with constant weights, written as the float operators that they stand for.
#pragma once

#include "src/exec/integer_steps.h"
#include "src/export/onnx_qdq.h"
#include "src/export/rounded_tensors.h"
#include "src/export/source_file.h"
#include "src/ir/graph.h"

namespace halftone {

// True if a step is a QLinearConv or QLinearMatMul of constant weights.
bool HasIntegerWeights(const IntegerStep& step);

// Adds the Conv, Gemm or MatMul of a step of a fused graph on dequantised operands, then the sum
// and the activation that are fused behind it, and the rounding of the result. Nodes that the file
// has keep their names and attributes. Error kUnsupported: weights with a zero point for TensorRT.
void WriteProduct(const SourceFile& file, const Node& node, const IntegerStep& step,
                  QdqFlavour flavour, RoundedTensors& tensors);

}  // namespace halftone
