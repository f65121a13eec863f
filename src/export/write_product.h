// Integer products with constant weights, written as the float operators that they stand for.
#pragma once

#include "src/exec/integer_steps.h"
#include "src/export/onnx_qdq.h"
#include "src/export/rounded_tensors.h"
#include "src/export/source_file.h"
#include "src/ir/graph.h"

namespace halftone {

// True if a step is a QLinearConv, QLinearConvTranspose or QLinearMatMul of constant weights.
bool HasIntegerWeights(const IntegerStep& step);

// Adds the product of `step` as a Conv, ConvTranspose, Gemm or MatMul on dequantised operands, then
// the sum and the activation that are fused behind it, and the rounding of the result. `node` is
// the node of the fused graph that the step computes. Nodes that the file has keep their names and
// attributes. Error kUnsupported, for TensorRT alone: weights with a zero point, or a bound of Clip
// that the step leaves to the range of its integers.
void WriteProduct(const SourceFile& file, const Node& node, const IntegerStep& step,
                  QdqFlavour flavour, RoundedTensors& tensors);

}  // namespace halftone
