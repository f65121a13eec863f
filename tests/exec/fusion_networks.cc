// Networks that one fusion each takes.
#include "src/passes/passes.h"
#include "tests/exec/fusion_rows.h"

namespace halftone::fusion_rows {

Graph LayerNorm(bool multiplied_out, Shape factors) {
  ExactNet n;
  const ValueId x = n.Input("x", {3, 5, kLength});
  const ValueId gamma = n.Whole("gamma", factors, 2, 0.25);
  const ValueId beta = n.Whole("beta", std::move(factors), 2, 0.25);
  const ValueId mean = n.Mean("mean", x);
  const ValueId d = n.Of(OpKind::kSub, "center", {x, mean});
  const ValueId root = n.Deviation(d);
  if (!multiplied_out) {
    const ValueId y = n.Of(OpKind::kDiv, "normal", {d, root});
    return n.Finish({n.Of(OpKind::kAdd, "plus", {n.Of(OpKind::kMul, "times", {y, gamma}), beta})});
  }
  const ValueId inverse = n.Of(OpKind::kReciprocal, "inverse", {root});
  const ValueId factor = n.Of(OpKind::kMul, "factor", {inverse, gamma});
  const ValueId scaled = n.Of(OpKind::kMul, "scaled", {x, factor});
  const ValueId moved = n.Of(OpKind::kMul, "moved", {mean, factor});
  return n.Finish(
      {n.Of(OpKind::kAdd, "plus", {scaled, n.Of(OpKind::kSub, "rest", {beta, moved})})});
}

Graph RmsNorm() {
  ExactNet n;
  const ValueId x = n.Input("x", {3, 5, kLength});
  const ValueId y = n.Of(OpKind::kDiv, "normal", {x, n.Deviation(x)});
  return n.Finish({n.Of(OpKind::kMul, "times", {y, n.Whole("gamma", {kLength}, 2, 0.25)})});
}

Graph GeluByErf() {
  ExactNet n;
  const ValueId x = n.Input("x", {7, 61});
  const ValueId t = n.Of(OpKind::kDiv, "argument", {x, n.Number(std::sqrt(2.0))});
  const ValueId s = n.Of(OpKind::kAdd, "sum", {n.Of(OpKind::kErf, "erf", {t}), n.Number(1)});
  const ValueId product = n.Of(OpKind::kMul, "product", {x, s});
  return n.Finish({n.Of(OpKind::kMul, "half", {product, n.Number(0.5)})});
}

Graph GeluByTanh() {
  ExactNet n;
  const ValueId x = n.Input("x", {7, 61});
  const ValueId half = n.Of(OpKind::kMul, "half", {x, n.Number(0.5)});
  const ValueId cube = n.Of(OpKind::kPow, "cube", {x, n.Number(3)});
  const ValueId cubic = n.Of(OpKind::kMul, "cubic", {cube, n.Number(0.044715)});
  const ValueId inner = n.Of(OpKind::kAdd, "inner", {x, cubic});
  const double factor = std::sqrt(2 / 3.14159265358979323846);
  const ValueId t = n.Of(OpKind::kMul, "argument", {inner, n.Number(factor)});
  const ValueId s = n.Of(OpKind::kAdd, "sum", {n.Of(OpKind::kTanh, "tanh", {t}), n.Number(1)});
  return n.Finish({n.Of(OpKind::kMul, "product", {half, s})});
}

Graph Swish(double slope) {
  ExactNet n;
  const ValueId x = n.Input("x", {7, 61});
  const ValueId t = slope == 1 ? x : n.Of(OpKind::kMul, "argument", {x, n.Number(slope)});
  return n.Finish({n.Of(OpKind::kMul, "product", {x, n.Of(OpKind::kSigmoid, "gate", {t})})});
}

Graph HardSwishByClip() {
  ExactNet n;
  const ValueId x = n.Input("x", {7, 61});
  const ValueId sum = n.Of(OpKind::kAdd, "sum", {x, n.Number(3)});
  const ValueId gate = n.Of(OpKind::kClip, "clip", {sum, n.Number(0), n.Number(6)});
  const ValueId product = n.Of(OpKind::kMul, "product", {x, gate});
  return n.Finish({n.Of(OpKind::kDiv, "sixth", {product, n.Number(6)})});
}

Graph MishBySoftplus() {
  ExactNet n;
  const ValueId x = n.Input("x", {7, 61});
  const ValueId gate = n.Of(OpKind::kTanh, "tanh", {n.Of(OpKind::kSoftplus, "softplus", {x})});
  return n.Finish({n.Of(OpKind::kMul, "product", {x, gate})});
}

// Each query keeps itself and what is before it.
Tensor KeptScores() {
  Tensor keep(DType::kBool, {kQueries, kKeys});
  for (std::int64_t i = 0; i < keep.ElementCount(); ++i) {
    StoreDouble(DType::kBool, keep.mutable_data(), i, i % kKeys <= i / kKeys ? 1 : 0);
  }
  return keep;
}

Graph Scores(bool causal) {
  ExactNet n;
  const ValueId x = n.Input("x", {2, 3, kQueries, kKeys});
  const ValueId scaled = n.Of(OpKind::kMul, "scale", {x, n.Number(kScale)});
  ValueId t = n.Of(OpKind::kAdd, "mask", {scaled, n.Whole("m", {2, 1, 1, kKeys}, kMostMask)});
  if (causal) {
    t = n.Of(OpKind::kWhere, "where", {n.Constant("keep", KeptScores()), t, n.Number(-kInfinity)});
  }
  return n.Finish({n.Of(OpKind::kSoftmax, "softmax", {t}, With("axis", std::int64_t{-1}))});
}

constexpr std::int64_t kPairs = 3;

// cos and sin of multiples of a right angle, other ones in each row and pair.
ValueId RightAngles(ExactNet& n, const std::string& name, Shape shape, int quarter) {
  Ints dims = shape.dims();
  dims.push_back(2 * kPairs);
  Tensor table(kF32, Shape(dims));
  constexpr double kCos[] = {1, 0, -1, 0};
  for (std::int64_t i = 0; i < table.ElementCount(); ++i) {
    const std::int64_t turns = i / (2 * kPairs) + i % kPairs + quarter;
    StoreDouble(kF32, table.mutable_data(), i, kCos[turns % 4]);
  }
  return n.Constant(name, std::move(table));
}

Graph Rope(Shape shape, const Shape& angles) {
  ExactNet n;
  const ValueId x = n.Input("x", std::move(shape));
  const ValueId first = n.Slice("first", x, 0, kPairs, -1);
  const ValueId second = n.Slice("second", x, kPairs, std::int64_t{1} << 62, -1);
  const ValueId turned = n.Of(OpKind::kConcat, "join", {n.Of(OpKind::kNeg, "neg", {second}), first},
                              With("axis", std::int64_t{-1}));
  const ValueId plain = n.Of(OpKind::kMul, "plain", {x, RightAngles(n, "cos", angles, 0)});
  const ValueId other = n.Of(OpKind::kMul, "turned", {turned, RightAngles(n, "sin", angles, 3)});
  return n.Finish({n.Of(OpKind::kAdd, "sum", {plain, other})});
}

// Of rows that Reshapes split and merge, or of rows that are split already.
Graph AttentionWithRows(bool merged) {
  Heads h(kF32);
  const auto split = [&](const std::string& name, std::int64_t length, std::int64_t size) {
    return merged ? h.Split(name, length, size)
                  : h.Operand(name, {testing::kBatch, length, testing::kHeads, size});
  };
  const ValueId q = h.Turn("q.turn", split("q", testing::kQueries, testing::kSize), {0, 2, 1, 3});
  const ValueId k = h.Turn("k.turn", split("k", testing::kLength, testing::kSize), {0, 2, 3, 1});
  const ValueId v =
      h.Turn("v.turn", split("v", testing::kLength, testing::kValueSize), {0, 2, 1, 3});
  const ValueId scaled = h.Over("scale", h.Scores(q, k), std::sqrt(8.0));
  const ValueId sum = h.Add(OpKind::kAdd, "mask",
                            {scaled, h.Operand("m", {testing::kBatch, 1, 1, testing::kLength})});
  const ValueId y = h.Turn("y.turn", h.Values(h.Softmax(sum), v), {0, 2, 1, 3});
  if (!merged) {
    return h.Finish({y});
  }
  return h.Finish({h.Add(OpKind::kReshape, "y.merge",
                         {y, h.Integers("y.shape", {testing::kBatch, testing::kQueries,
                                                    testing::kHeads * testing::kValueSize})})});
}

Graph AttentionWithHeads() {
  Heads h(kF32);
  const ValueId q = h.Q();
  const ValueId s = h.Scores(q, h.Turned(h.K()));
  const ValueId p = h.Softmax(h.Times("scale", s, 0.25));
  return h.Finish({h.Values(p, h.V())});
}

Graph Transposed(std::int64_t stride, bool normed) {
  ExactNet n;
  Attributes attributes = With("strides", Ints{stride, stride});
  attributes.Set("group", std::int64_t{2});
  const ValueId y = n.Of(OpKind::kConvTranspose, "spread",
                         {n.Image(), n.Whole("w", {4, 3, 2, 3}), n.Whole("b", {6})}, attributes);
  return n.Finish({normed ? n.Norm("bn", y, 6) : y});
}

Graph Dilated() {
  ExactNet n;
  Rng rng(4);
  Tensor weights = Multiples({kF32, {6, 4, 5, 5}}, rng, 2, 1);
  for (std::int64_t i = 0; i < weights.ElementCount(); ++i) {
    if (i % 5 % 2 != 0 || i / 5 % 5 % 2 != 0) {
      StoreDouble(kF32, weights.mutable_data(), i, 0);
    }
  }
  return n.Finish({n.Of(OpKind::kConv, "conv",
                        {n.Input("x", {2, 4, 11, 13}), n.Constant("w", std::move(weights))},
                        With("pads", Ints{2, 2, 2, 2}))});
}

Graph ConvNormTimes() {
  ExactNet n;
  const ValueId y = n.Norm("bn", n.Convolution(n.Image()), 6);
  return n.Finish({n.Of(OpKind::kMul, "times", {y, n.Powers("m", {6, 1, 1})})});
}

Graph NormTimesPlus() {
  ExactNet n;
  const ValueId y =
      n.Of(OpKind::kMul, "times", {n.Norm("bn", n.Image(), 4), n.Powers("m", {4, 1, 1})});
  return n.Finish({n.Of(OpKind::kAdd, "plus", {y, n.Whole("a", {1, 4, 1, 1})})});
}

Graph ProductPlusBias(Shape left) {
  ExactNet n;
  const ValueId x = n.Input("x", std::move(left));
  const ValueId product = n.Of(OpKind::kMatMul, "matmul", {x, n.Whole("w", {4, 5})});
  return n.Finish({n.Of(OpKind::kAdd, "add", {n.Whole("b", {5}), product})});
}

Graph ConvPlusResidual() {
  ExactNet n;
  const ValueId y = n.Convolution(n.Image());
  const ValueId sum = n.Of(OpKind::kAdd, "add", {y, n.Input("r", {2, 6, 3, 5})});
  return n.Finish({n.Of(OpKind::kRelu, "relu", {sum})});
}

Graph ProductPlusResidual() {
  ExactNet n;
  const ValueId product =
      n.Of(OpKind::kMatMul, "matmul", {n.Input("x", {2, 3, 4}), n.Whole("w", {4, 5})});
  return n.Finish({n.Of(OpKind::kAdd, "add", {n.Input("r", {2, 3, 5}), product})});
}

Graph ConvActivationResidual() {
  ExactNet n;
  const ValueId y = n.Of(OpKind::kRelu, "relu", {n.Convolution(n.Image())});
  return n.Finish({n.Of(OpKind::kAdd, "add", {y, n.Input("r", {2, 6, 3, 5})})});
}

Graph ConvThen(OpKind op, Attributes attributes) {
  ExactNet n;
  return n.Finish({n.Of(op, "act", {n.Convolution(n.Image())}, std::move(attributes))});
}

Graph ConvThenClip() {
  ExactNet n;
  const ValueId y = n.Convolution(n.Image());
  return n.Finish({n.Of(OpKind::kClip, "act", {y, n.Number(-3), n.Number(6)})});
}

Graph NormThenRelu() {
  ExactNet n;
  return n.Finish({n.Of(OpKind::kRelu, "act", {n.Norm("bn", n.Image(), 4)})});
}

Graph ConvThenPRelu() {
  ExactNet n;
  const ValueId y = n.Convolution(n.Image());
  return n.Finish({n.Of(OpKind::kPRelu, "act", {y, n.Powers("slopes", {6, 1, 1}, 0.25)})});
}

Graph ProductOfTransposed() {
  ExactNet n;
  const ValueId a = n.Input("a", {2, 3, 5, 8});
  const ValueId b = n.Turn("turn", n.Input("b", {2, 13, 3, 8}), {0, 2, 3, 1});
  return n.Finish({n.Of(OpKind::kMatMul, "product", {a, b})});
}

Graph SlicesOfASlice() {
  ExactNet n;
  const ValueId x = n.Input("x", {1, 3, 8, 10});
  const ValueId rows = n.Slice("rows", x, 1, 1 << 30, 2, 2);
  return n.Finish({n.Slice("columns", rows, 0, 1 << 30, 3, 2)});
}

// Values of any kind: a chain rounds as its nodes do.
Graph ElementwiseChain() {
  ExactNet n;
  const ValueId x = n.Input("x", {7, 61});
  const ValueId e = n.Of(OpKind::kExp, "exp", {n.Of(OpKind::kNeg, "neg", {x})});
  const ValueId l = n.Of(OpKind::kLog, "log", {n.Of(OpKind::kAdd, "add", {e, n.Number(0.3)})});
  const ValueId s = n.Of(OpKind::kSub, "sub", {l, n.Of(OpKind::kSin, "sin", {x})});
  return n.Finish({n.Of(OpKind::kDiv, "div", {s, n.Weights("d", {61}, 1, 3)})});
}

const Row kRows[] = {
    {"LayerNorm", "fuse_layer_norm", [] { return LayerNorm(false); }, TwoPasses, 3, 0.125},
    {"LayerNormMultipliedOut", "fuse_layer_norm", [] { return LayerNorm(true); }, MultipliedOut, 3,
     0.125},
    {"RmsNorm", "fuse_rms_norm", RmsNorm, RootMeanSquare, 3, 0.125},
    {"GeluByErf", "fuse_gelu", GeluByErf, Gelu, 8, 0.125},
    {"GeluByTanh", "fuse_gelu", GeluByTanh, Gelu, 8, 0.125},
    {"Silu", "fuse_swish", [] { return Swish(1); }, Silu, 8, 0.125},
    {"SwishWithSlope", "fuse_swish", [] { return Swish(kSlope); }, SwishWithSlope, 8, 0.125},
    {"HardSwish", "fuse_hard_swish", HardSwishByClip, HardSwish, 8, 0.125},
    {"Mish", "fuse_mish", MishBySoftplus, Mish, 8, 0.125},
    {"Softmax", "fuse_softmax", [] { return Scores(false); }, MaskedSoftmax, 5, 0.125},
    {"CausalSoftmax", "fuse_softmax", [] { return Scores(true); }, CausalSoftmax, 5, 0.125},
    {"Rope", "fuse_rope",
     [] {
       return Rope({2, 4, 5, 2 * kPairs}, {1, 1, 5});
     },
     kExact, 9},
    {"RopeBetweenReshapes", "fuse_rope",
     [] {
       return Rope({2, 5, 4, 2 * kPairs}, {5, 1});
     },
     kExact, 9},
    {"AttentionOfRows", "fuse_attention", [] { return AttentionWithRows(true); }, AttentionOfRows,
     1, 0.125},
    {"AttentionOfSplitRows", "fuse_attention", [] { return AttentionWithRows(false); },
     AttentionOfRows, 1, 0.125},
    {"AttentionOfHeads", "fuse_attention", AttentionWithHeads, AttentionOfHeads, 1, 0.125},
    {"ConvTranspose", "conv_transpose_to_conv", [] { return Transposed(1, false); }, kExact},
    {"DilatedConv", "dilate_conv", Dilated, kExact},
    {"ConvNormTimes", "fold_batch_norm", ConvNormTimes, kExact},
    {"NormTimesPlus", "fold_batch_norm", NormTimesPlus, kExact},
    {"ConvTransposeNorm", "fold_batch_norm", [] { return Transposed(2, true); }, kExact},
    {"MatMulBiasOfMatrices", "matmul_to_gemm",
     [] {
       return ProductPlusBias({3, 4});
     },
     kExact},
    {"MatMulBias", "fuse_matmul_bias",
     [] {
       return ProductPlusBias({2, 3, 4});
     },
     kExact},
    {"ConvResidualRelu", "fuse_residual", ConvPlusResidual, kExact},
    {"MatMulResidual", "fuse_residual", ProductPlusResidual, kExact},
    {"ConvRelu", "fuse_activation", [] { return ConvThen(OpKind::kRelu); }, kExact},
    {"ConvClip", "fuse_activation", ConvThenClip, kExact},
    {"NormRelu", "fuse_activation", NormThenRelu, kExact},
    {"ConvLeakyRelu", "fuse_activation_function",
     [] { return ConvThen(OpKind::kLeakyRelu, With("alpha", 0.25F)); }, kExact},
    {"ConvPRelu", "fuse_activation_function", ConvThenPRelu, kExact},
    {"ConvSigmoid", "fuse_activation_function", [] { return ConvThen(OpKind::kSigmoid); },
     FunctionOfAnExactSum},
    {"ConvGelu", "fuse_activation_function", [] { return ConvThen(OpKind::kGelu); },
     FunctionOfAnExactSum},
    {"ConvReluResidual", "fuse_residual_after_activation", ConvActivationResidual, kExact},
    {"MatMulOfATranspose", "fuse_transpose", ProductOfTransposed, kExact},
    {"Slices", "merge_slices", SlicesOfASlice, kExact, 100},
    {"ElementwiseChain", "chain_elementwise", ElementwiseChain, kExact, 8, 0.125},
};

std::span<const Row> FusionRows() {
  return kRows;
}

}  // namespace halftone::fusion_rows
