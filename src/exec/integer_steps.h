// Integer steps, which compute operators whose operands and results a plan has in qint8.
//
//   Conv, Gemm, MatMul     QLinearConv, QLinearMatMul: constant weights in int8, bias in int32, a
//                          residual and Relu or Clip; results in qint8 or float32
//   ConvTranspose          QLinearConvTranspose: as QLinearConv, without a residual
//   Add, Mul, Concat       QLinearAdd, QLinearMul, QLinearConcat
//   average pools          QLinearAveragePool, QLinearGlobalAveragePool
//   Resize                 QLinearResize, of one axis or two neighbouring ones
//   functions of a number  QLinearLookup: 256 results of the float32 reference, or of each channel
//   movers, MaxPool        their own kernels on uint8, where operand and result have one scale; so
//                          does Resize to nearest neighbours
//
// Any other operator runs in float32 between DequantizeLinear and QuantizeLinear, with its
// constants as they are (src/exec/lower.cc). A further form is a function and a row of the table in
// integer_steps.cc.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "src/exec/shared_constants.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// A value of the graph in a format of its own.
struct IntegerValue {
  ValueId id = kNoValue;
  NumericFormat format;
};

// An operand of an integer step: absent; a value; a constant that the form makes.
using IntegerOperand = std::variant<std::monostate, IntegerValue, Tensor>;

struct IntegerStep {
  OpKind op = OpKind::kIdentity;
  Attributes attributes;
  Fusion fusion;
  std::vector<IntegerOperand> inputs;
};

// True if operators of this kind have a form; a node may still have none.
bool HasIntegerForm(OpKind op);

// True if operators of this kind are tables of their first operand. With channel factors on the
// operand or the result, each channel has its own table.
bool IsByteFunction(OpKind op);

// The scale of a value in qint8: from the quantisation, else from its elements if it is constant,
// else from the value that it stands for. Empty: there is none.
std::optional<ActivationScale> FindScale(const Graph& graph, ValueId value,
                                         const Quantization& quantization);
// FindScale(); Error kUnsupported where that is empty.
ActivationScale ScaleOf(const Graph& graph, ValueId value, const Quantization& quantization);

// Integer step of `node`, which belongs to a graph of steps, by its precision. Empty: it has none,
// for example because a constant is not finite (src/exec/finite_constants.h). Constants that it
// makes are held in `constants`, so that executables share them. Errors as ScaleOf() and
// QuantizeWeights().
std::optional<IntegerStep> IntegerStepOf(const Graph& graph, const Node& node,
                                         const NodePrecision& precision,
                                         const Quantization& quantization,
                                         SharedConstants& constants);

}  // namespace halftone
