// Integer steps, which compute operators whose operands and results a plan has in qint8.
//
//   Conv, Gemm, MatMul     QLinearConv, QLinearMatMul: constant weights in int8 with an int32 bias,
//                          or two activations (Gemm, MatMul); a residual and Relu or Clip; results
//                          in qint8, float32 or float16
//   ConvTranspose          QLinearConvTranspose: as QLinearConv, without a residual
//   Add, Mul, Concat       QLinearAdd, QLinearMul, QLinearConcat
//   average pools          QLinearAveragePool, QLinearGlobalAveragePool
//   Resize                 QLinearResize, of one axis or two neighbouring ones
//   functions of a number  QLinearLookup: a table of the 256 results of the float32 reference, or
//                          a table for each channel with channel factors
//   movers, MaxPool,       their own kernels on uint8, if operand and result have one scale
//   Resize to nearest
//
// Any other operator runs in float32 between DequantizeLinear and QuantizeLinear, with unrounded
// constants (src/exec/lower.cc). A form makes the integer step of one operator. To add a form,
// write its function and a row of the table in integer_steps.cc.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "src/exec/shared_constants.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// A value of the graph, in the format in which the step reads it.
struct IntegerValue {
  ValueId id = kNoValue;
  NumericFormat format;
};

// An operand of an integer step: absent, a value, or a constant that the form makes.
using IntegerOperand = std::variant<std::monostate, IntegerValue, Tensor>;

struct IntegerStep {
  OpKind op = OpKind::kIdentity;
  Attributes attributes;
  Fusion fusion;
  std::vector<IntegerOperand> inputs;
};

// True if operators of this kind have a form; a single node may still have no integer step.
bool HasIntegerForm(OpKind op);

// True if the integer step of operators of this kind is a table of the first operand. With channel
// factors on the operand or the result, each channel has its own table.
bool IsByteFunction(OpKind op);

// Scale of a value in qint8: that of the quantisation; else, for a constant, one by its elements;
// else that of the value that it stands for (Value::stands_for). Empty if there is none.
std::optional<ActivationScale> FindScale(const Graph& graph, ValueId value,
                                         const Quantization& quantization);
// FindScale(); Error kUnsupported if that is empty.
ActivationScale ScaleOf(const Graph& graph, ValueId value, const Quantization& quantization);

// Integer step of `node`, a node of a fused graph (FusedNetwork::graph), in the formats of
// `precision`. Empty if it has none, for example because a constant is not finite
// (src/exec/finite_constants.h). `constants` holds the constants that the step needs, so that
// executables share them. Errors as ScaleOf(), FactorsOf() (src/exec/channel_factors.h) and
// QuantizeWeights(); kUsage: bias shifts that do not fit the result channels.
std::optional<IntegerStep> IntegerStepOf(const Graph& graph, const Node& node,
                                         const NodePrecision& precision,
                                         const Quantization& quantization,
                                         SharedConstants& constants);

}  // namespace halftone
