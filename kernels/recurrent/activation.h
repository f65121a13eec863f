// Activation functions of recurrent operators.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/ir/dtype.h"

namespace halftone {

struct Activation {
  enum class Kind : std::uint8_t {
    kSigmoid,
    kTanh,
    kRelu,
    kAffine,           // alpha x + beta
    kLeakyRelu,        // alpha x below 0
    kThresholdedRelu,  // x from alpha on, else 0
    kScaledTanh,       // alpha tanh(beta x)
    kHardSigmoid,      // alpha x + beta in [0, 1]
    kElu,              // alpha (e^x - 1) below 0
    kSoftsign,
    kSoftplus,
  };

  Kind kind = Kind::kSigmoid;
  float alpha = 0;
  float beta = 0;
};

// An activation function: whether attributes may set its alpha and beta, and their defaults.
struct ActivationRow {
  std::string_view name;  // lower case
  Activation::Kind kind;
  bool takes_alpha;
  bool takes_beta;
  float alpha;
  float beta;
};

// The function of a name, in any case; null if there is none.
const ActivationRow* FindActivation(std::string_view name);

// f(x) in double.
double Activated(const Activation& activation, double x);

// x[i] = f(x[i]) in float32, vectorised. Error: 4u relative for Sigmoid and Tanh; for the others
// that of the unary operators (kernels/unary/unary_ops-inl.h). Affine rounds its product and its
// sum; ScaledTanh rounds the argument and the product with alpha.
void ActivateRow(const Activation& activation, float* x, std::int64_t count) noexcept;

// Converts `source` to `dtype`, rounded once to nearest even; copies it for float32.
void NarrowRow(DType dtype, const float* source, void* target, std::int64_t count) noexcept;

}  // namespace halftone
