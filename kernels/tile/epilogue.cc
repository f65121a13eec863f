#include "kernels/tile/epilogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/unary/unary.h"
#include "src/base/error.h"
#include "src/ir/fused_operands.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

constexpr OpKind kFunctions[] = {OpKind::kGelu,      OpKind::kHardSigmoid, OpKind::kHardSwish,
                                 OpKind::kLeakyRelu, OpKind::kMish,        OpKind::kSigmoid,
                                 OpKind::kSwish,     OpKind::kTanh};

// The attributes in the form of the activation's own operator.
Attributes OwnAttributes(const StepActivation& activation) {
  Attributes own;
  if (activation.alpha) {
    own.Set("alpha", *activation.alpha);
  }
  if (activation.beta) {
    own.Set("beta", *activation.beta);
  }
  if (activation.approximate) {
    own.Set("approximate", *activation.approximate);
  }
  return own;
}

// An operator that has one form has it as mode default.
UnaryLoop LoopOf(OpKind op, bool tanh_form) {
  for (const ImplMode mode : {ImplMode::kHighPrecision, ImplMode::kDefault}) {
    const UnaryLoopKey key{.op = op, .impl_mode = mode, .tanh_form = tanh_form};
    if (const UnaryLoop loop = FindUnaryLoop(key, DType::kFloat32).loop; loop != nullptr) {
      return loop;
    }
  }
  return nullptr;
}

void ReadSlopes(const StepActivation& activation, std::int64_t channels, Epilogue& epilogue) {
  epilogue.slopes = activation.slopes;
  const auto count = static_cast<std::size_t>(channels);
  if (epilogue.slopes.size() == 1) {
    epilogue.slopes.assign(count, epilogue.slopes[0]);
  }
  if (epilogue.slopes.size() != count) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("fused PRelu: expected one slope or one of each of {} channels, got {}",
                            channels, epilogue.slopes.size()));
  }
}

void ReadActivation(const StepActivation& activation, std::int64_t channels, Epilogue& epilogue) {
  if (activation.op == OpKind::kRelu) {
    epilogue.range.low = 0.0F;
    return;
  }
  if (activation.op == OpKind::kClip) {
    epilogue.range = {activation.low, activation.high};
    return;
  }
  if (activation.op == OpKind::kPRelu) {
    ReadSlopes(activation, channels, epilogue);
    return;
  }
  if (!IsFusedFunction(activation.op)) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("fused activation: expected Relu, Clip, PRelu or a function of one "
                            "operand that is fused, got {}",
                            InfoOf(activation.op).name));
  }
  const Attributes own = OwnAttributes(activation);
  const KernelQuery function{
      .op = activation.op, .attributes = &own, .inputs = {}, .constants = {}, .outputs = {}};
  epilogue.params = UnaryParamsOf(function);
  epilogue.formula = UnaryFormulaOf(function);
  epilogue.function = LoopOf(activation.op, IsTanhForm(function));
  Check(epilogue.function != nullptr, "a fused activation has no loop");
}

ResidualPlace ResidualOf(const KernelQuery& query) {
  const TensorType* operand = query.Input(kResidualOperand);
  if (operand == nullptr || !IsFusedOperand(InfoOf(query.op), kResidualOperand)) {
    return ResidualPlace::kNone;
  }
  const TensorType& result = *query.outputs.at(0);
  if (*operand != result || !IsFloating(result.dtype)) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected a residual operand of floats of the result's type {}, got {}",
                            result.ToString(), operand->ToString()));
  }
  return query.fusion->residual == ResidualPlace::kAfter ? ResidualPlace::kAfter
                                                         : ResidualPlace::kBefore;
}

}  // namespace

bool ActivationRange::IsBounded() const {
  return !std::isinf(low) || !std::isinf(high);
}

double Epilogue::Apply(double sum, double r, std::int64_t channel) const {
  const double before = residual == ResidualPlace::kBefore ? sum + r : sum;
  const float* slope = before < 0 ? SlopesFrom(channel) : nullptr;
  const double activated = formula != nullptr ? formula(before, params)
                           : slope != nullptr ? static_cast<double>(*slope) * before
                                              : range.Apply(before);
  return residual == ResidualPlace::kAfter ? activated + r : activated;
}

Epilogue EpilogueOf(const KernelQuery& query, std::int64_t channels) {
  Epilogue epilogue;
  epilogue.residual = ResidualOf(query);
  if (query.fusion->activation) {
    ReadActivation(*query.fusion->activation, channels, epilogue);
  }
  return epilogue;
}

bool IsFusedFunction(OpKind op) {
  return std::find(std::begin(kFunctions), std::end(kFunctions), op) != std::end(kFunctions);
}

}  // namespace halftone
