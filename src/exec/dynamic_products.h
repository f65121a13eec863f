// DynamicMatMul steps: MatMul and Gemm that a plan has in dynamic int8 (src/ir/formats/dint8.h).
//
// The first operand has rank 2 or more, weights are one constant matrix with at least
// kLeastDynamicColumns columns, the bias is constant; Gemm has alpha and beta 1 and no transposed
// A. A residual and any activation but PRelu stay in the step. Rows are quantised by their own
// largest magnitude in the run; weights once, one scale for each column, by the largest magnitude /
// 127 or by the scales that the quantisation of the plan gives. Shifts of bias correction are of
// calibrated tensors and do not apply.
#pragma once

#include <optional>

#include "src/exec/integer_steps.h"

namespace halftone {

// Rows are quantised in time proportional to M K beside M K N products: 49 % of the time of the
// product at N = 64, 13 % at 256, whatever K is (docs/measurements, 2026-11-26, dynamic int8).
inline constexpr std::int64_t kLeastDynamicColumns = 256;

// `node`, of a graph of steps; empty: it does not read in a dynamic format, or has no such step.
// `quantization`: null: none. Error kUsage: given scales of weights that do not fit them.
std::optional<IntegerStep> DynamicStepOf(const Graph& graph, const Node& node,
                                         const NodePrecision& precision,
                                         const Quantization* quantization,
                                         SharedConstants& constants);

// True if some node reads in a dynamic format, and each of them has a step.
bool HasDynamicProductsAlone(const Graph& graph, const PrecisionPlan& plan);

}  // namespace halftone
