// Fold of per-channel affine operators into the convolution or BatchNormalization before them.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Folds into a Conv or ConvTranspose with constant weights any run of BatchNormalization and of
// Mul, Div, Add, Sub with a constant of one value per channel, each the only reader of the value
// before it. With y = conv(x, W) + b and the run y -> s y + t per channel:  W' = s W,
// b' = s b + t. s and t are computed in double and W', b' rounded once to the dtype of the weights:
// |W' - s W| <= u |s W| (+ the subnormal half-step), u the unit roundoff of that dtype.
// A BatchNormalization with constant parameters that follows no convolution takes such a run
// likewise: its scale and bias become s and t, its mean 0, its variance 1, its epsilon 0.
// A run whose scale or weights would not be finite does not change.
void FoldBatchNorm(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
