// DynamicMatMul steps: MatMul and Gemm that a plan has in dynamic int8 (src/ir/formats/dint8.h).
//
// The first operand has rank 2 or more, weights are one constant matrix with at least
// kLeastDynamicColumns columns, the bias is constant; Gemm has alpha and beta 1 and no transposed
// A. A residual and any activation but PRelu stay in the step. Each row is quantised by its own
// largest magnitude in the run. Weights are quantised once, with one scale for each column: the
// largest magnitude / 127, or the scale that the quantisation of the plan gives. Bias correction
// does not apply, since its shifts belong to calibrated tensors.
#pragma once

#include <optional>

#include "src/exec/integer_steps.h"

namespace halftone {

// Least number of columns. Quantising the rows takes time proportional to M K, the product M K N:
// 49 % of the time of the product at N = 64, 13 % at 256, whatever K is (docs/measurements,
// 2026-11-26, dynamic int8).
inline constexpr std::int64_t kLeastDynamicColumns = 256;

// Step of `node`, which belongs to a graph of steps. Empty: the node does not read in a dynamic
// format, or has no such step. `quantization` may be null. Error kUsage: given scales of weights
// that do not fit them.
std::optional<IntegerStep> DynamicStepOf(const Graph& graph, const Node& node,
                                         const NodePrecision& precision,
                                         const Quantization* quantization,
                                         SharedConstants& constants);

// True if some node reads in a dynamic format and every such node has a step.
bool HasDynamicProductsAlone(const Graph& graph, const PrecisionPlan& plan);

}  // namespace halftone
