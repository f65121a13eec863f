#include "kernels/tile/epilogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/unary/unary.h"
#include "src/base/error.h"
#include "src/ir/fused_operands.h"
#include "src/ir/graph.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

constexpr OpKind kFunctions[] = {OpKind::kGelu,      OpKind::kHardSigmoid, OpKind::kHardSwish,
                                 OpKind::kLeakyRelu, OpKind::kMish,        OpKind::kSigmoid,
                                 OpKind::kSwish,     OpKind::kTanh};

// The attributes as the operator itself has them.
Attributes OwnAttributes(const Attributes& attributes) {
  Attributes own;
  if (attributes.Has(kActivationAlpha)) {
    own.Set("alpha", attributes.Float(kActivationAlpha, 0));
  }
  if (attributes.Has(kActivationBeta)) {
    own.Set("beta", attributes.Float(kActivationBeta, 0));
  }
  if (attributes.Has(kActivationForm)) {
    own.Set("approximate", attributes.Text(kActivationForm, ""));
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

void ReadSlopes(const Attributes& attributes, std::int64_t channels, Epilogue& epilogue) {
  epilogue.slopes = attributes.Floats(kActivationSlopes);
  const auto count = static_cast<std::size_t>(channels);
  if (epilogue.slopes.size() == 1) {
    epilogue.slopes.assign(count, epilogue.slopes[0]);
  }
  if (epilogue.slopes.size() != count) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("attribute '{}': expected one slope or one of each of {} channels, got "
                            "{}",
                            kActivationSlopes, channels, epilogue.slopes.size()));
  }
}

void ReadActivation(const Attributes& attributes, std::int64_t channels, Epilogue& epilogue) {
  const std::string name = attributes.Text(kActivation, "");
  if (name.empty()) {
    return;
  }
  if (name == "Relu") {
    epilogue.range.low = 0.0F;
    return;
  }
  if (name == "Clip") {
    epilogue.range.low = attributes.Float(kActivationMin, epilogue.range.low);
    epilogue.range.high = attributes.Float(kActivationMax, epilogue.range.high);
    return;
  }
  if (name == "PRelu") {
    ReadSlopes(attributes, channels, epilogue);
    return;
  }
  const OpInfo* info = FindOp(name);
  if (info == nullptr || !IsFusedFunction(info->kind)) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("attribute '{}': expected Relu, Clip, PRelu or a function of one "
                            "operand that is fused, got '{}'",
                            kActivation, name));
  }
  const Attributes own = OwnAttributes(attributes);
  const KernelQuery function{
      .op = info->kind, .attributes = &own, .inputs = {}, .constants = {}, .outputs = {}};
  epilogue.params = UnaryParamsOf(function);
  epilogue.formula = UnaryFormulaOf(function);
  epilogue.function = LoopOf(info->kind, IsTanhForm(function));
  Check(epilogue.function != nullptr, "a fused activation has no loop");
}

Residual ResidualOf(const KernelQuery& query) {
  const TensorType* operand = query.Input(kResidualOperand);
  if (operand == nullptr || !IsFusedOperand(InfoOf(query.op), kResidualOperand)) {
    return Residual::kNone;
  }
  const TensorType& result = *query.outputs.at(0);
  if (*operand != result || !IsFloating(result.dtype)) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected a residual operand of floats of the result's type {}, got {}",
                            result.ToString(), operand->ToString()));
  }
  return query.attributes->Text(kResidual, kResidualBefore) == kResidualAfter ? Residual::kAfter
                                                                              : Residual::kBefore;
}

}  // namespace

bool ActivationRange::IsBounded() const {
  return !std::isinf(low) || !std::isinf(high);
}

double Epilogue::Apply(double sum, double r, std::int64_t channel) const {
  const double before = residual == Residual::kBefore ? sum + r : sum;
  const float* slope = before < 0 ? SlopesFrom(channel) : nullptr;
  const double activated = formula != nullptr ? formula(before, params)
                           : slope != nullptr ? static_cast<double>(*slope) * before
                                              : range.Apply(before);
  return residual == Residual::kAfter ? activated + r : activated;
}

Epilogue EpilogueOf(const KernelQuery& query, std::int64_t channels) {
  Epilogue epilogue;
  epilogue.residual = ResidualOf(query);
  ReadActivation(*query.attributes, channels, epilogue);
  return epilogue;
}

bool IsFusedFunction(OpKind op) {
  return std::find(std::begin(kFunctions), std::end(kFunctions), op) != std::end(kFunctions);
}

}  // namespace halftone
