#include <fmt/format.h>

#include <limits>

#include "kernels/unary/unary.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// Defaults of the ONNX operator specification (Selu 6 gives these digits).
constexpr float kSeluAlpha = 1.67326319217681884765625F;
constexpr float kSeluGamma = 1.05070102214813232421875F;

float BoundOr(const KernelQuery& query, std::size_t input, float absent) {
  const Tensor* bound = query.Constant(input);
  if (bound == nullptr) {
    return absent;
  }
  if (bound->ElementCount() != 1) {
    throw Error(ErrorKind::kModel, fmt::format("input {} of Clip must be a scalar, found shape {}",
                                               input, bound->shape().ToString()));
  }
  return static_cast<float>(DoubleAt(bound->dtype(), bound->data(), 0));
}

}  // namespace

UnaryParams UnaryParamsOf(const KernelQuery& query) {
  const Attributes& attributes = *query.attributes;
  const float infinity = std::numeric_limits<float>::infinity();
  switch (query.op) {
    case OpKind::kClip:
      return {BoundOr(query, 1, -infinity), BoundOr(query, 2, infinity)};
    case OpKind::kElu:
      return {attributes.Float("alpha", 1.0F), 0};
    case OpKind::kLeakyRelu:
      return {attributes.Float("alpha", 0.01F), 0};
    case OpKind::kHardSigmoid:
      return {attributes.Float("alpha", 0.2F), attributes.Float("beta", 0.5F)};
    case OpKind::kSelu:
      return {attributes.Float("alpha", kSeluAlpha), attributes.Float("gamma", kSeluGamma)};
    case OpKind::kShrink:
      return {attributes.Float("lambd", 0.5F), attributes.Float("bias", 0.0F)};
    case OpKind::kCelu:
    case OpKind::kThresholdedRelu:
    case OpKind::kSwish:
      return {attributes.Float("alpha", 1.0F), 0};
    default:
      return {};
  }
}

bool IsTanhForm(const KernelQuery& query) {
  if (query.op != OpKind::kGelu) {
    return false;
  }
  const std::string form = query.attributes->Text("approximate", "none");
  if (form != "none" && form != "tanh") {
    throw Error(ErrorKind::kModel,
                fmt::format("attribute 'approximate' must be none or tanh, found '{}'", form));
  }
  return form == "tanh";
}

RunTimeBounds RunTimeBoundsOf(const KernelQuery& query) {
  const bool clips = query.op == OpKind::kClip;
  return {clips && query.Input(1) != nullptr && query.Constant(1) == nullptr,
          clips && query.Input(2) != nullptr && query.Constant(2) == nullptr,
          query.Input(0)->dtype};
}

}  // namespace halftone
