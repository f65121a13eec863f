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
// A plan whose operands are narrower, with unit roundoff p, rounds W' and b' a second time. Bound
// of the step, with v = u + p + u p (p = 0: not rounded again), before the error of the kernel:
//   |y - exact| <= v (|s| sum |W x| + |s b + t|)
// Bound of the parts run apart, whose convolution gives z rounded to unit roundoff q:
//   p |s| (sum |W x| + |b|) + q |s z|
// So the fused bound exceeds theirs by p |t| and roundings to the model's dtype at most: |s b + t|
// is at most |s b| + |t|. A single result may be off by twice as much as that of the parts: weights
// that 16 bits hold exactly are rounded by the factor.
// A BatchNormalization with constant parameters that follows no convolution folds such a run into
// its own scale and bias; mean, variance and epsilon stay.
// A run whose scale or weights would not be finite does not change.
void FoldBatchNorm(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
