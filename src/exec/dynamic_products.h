// DynamicMatMul steps: MatMul and Gemm that a plan has in dynamic int8 (src/ir/formats/dint8.h).
//
// A node has such a step if its first operand has rank 2 or more, its weights are one constant
// matrix with at least kLeastDynamicColumns columns, its bias is constant, and its result is
// float32. A Gemm must have alpha and beta 1 and an A that is not transposed. The step computes a
// fused residual and a fused activation; a node with a fused PRelu has no step.
//
// Each row of the first operand is quantised in the run, by its own largest magnitude. Weights are
// quantised once, with one scale for each column (for all columns if
// Quantization::per_channel_weights is false): the largest magnitude / 127, or the scale that the
// quantisation of the plan gives. Bias correction does not apply, since its shifts belong to
// calibrated tensors.
#pragma once

#include <optional>

#include "src/exec/integer_steps.h"

namespace halftone {

// Least number of columns. Quantising the rows takes time proportional to M K, and the product
// takes time proportional to M K N. The ratio of the two is 49 % at N = 64 and 13 % at N = 256,
// whatever K is (docs/measurements, 2026-11-26, dynamic int8).
inline constexpr std::int64_t kLeastDynamicColumns = 256;

// Step of `node`, a node of a fused graph (FusedNetwork::graph). Empty if operand 0 is not in a
// dynamic format, or if the node has no such step. `quantization` may be null. Error kUsage: the
// given scales of weights do not fit the weights.
std::optional<IntegerStep> DynamicStepOf(const Graph& graph, const Node& node,
                                         const NodePrecision& precision,
                                         const Quantization* quantization,
                                         SharedConstants& constants);

// True if some node of the fused graph reads in a dynamic format and every such node has a step.
bool HasDynamicProductsAlone(const Graph& graph, const PrecisionPlan& plan);

}  // namespace halftone
