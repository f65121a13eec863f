// Fold of affine operators per channel into the convolution or BatchNormalization before them.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Folds a run of affine nodes into the Conv or ConvTranspose with constant weights before it. The
// run consists of BatchNormalization nodes and of Mul, Div, Add and Sub nodes with a constant of
// one value, or one value per channel. Each of its nodes is the only reader of the value before it.
//
// With y = conv(x, W) + b and the run y -> s y + t per channel, the new weights are W' = s W and
// the new bias is b' = s b + t. s and t are computed in double; W' and b' are rounded once to the
// dtype of the weights. With u the unit roundoff of that dtype, |W' - s W| <= u |s W|, plus half a
// step where W' is subnormal. A plan whose operands have a narrower dtype of unit roundoff p rounds
// W' and b' a second time. Before the error of the kernel, with v = u + p + u p (p = 0 if they are
// not rounded again), the error of the fused step is at most
//   |y - exact| <= v (|s| sum |W x| + |s b + t|)
// Without the fold, the convolution gives z rounded to unit roundoff q, and the error is at most
//   p |s| (sum |W x| + |b|) + q |s z|
// Because |s b + t| <= |s b| + |t|, the first bound exceeds the second by at most p |t| and the
// roundings to the dtype of the model. The error of a single result may be twice that without the
// fold, because W' needs rounding even if 16 bits hold W exactly.
//
// A BatchNormalization with constant parameters that follows no convolution folds such a run into
// its own scale and bias; its mean, variance and epsilon do not change.
// A run stays if the new weights, scale or bias would not be finite.
void FoldBatchNorm(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
