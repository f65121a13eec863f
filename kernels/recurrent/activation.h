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

// Row of an activation function: if attributes give its alpha and beta, and their defaults.
struct ActivationRow {
  std::string_view name;  // lower case
  Activation::Kind kind;
  bool takes_alpha;
  bool takes_beta;
  float alpha;
  float beta;
};

// The row of a name in any case; null if there is none.
const ActivationRow* FindActivation(std::string_view name);

// f(x) in double.
double Activated(const Activation& activation, double x);

// x[i] = f(x[i]) in float32, vectorised; Sigmoid and Tanh within 4u, the others within 8u relative.
void ActivateRow(const Activation& activation, float* x, std::int64_t count) noexcept;

// Rounds each element once to nearest even; a copy for float32.
void NarrowRow(DType dtype, const float* source, void* target, std::int64_t count) noexcept;

}  // namespace halftone
