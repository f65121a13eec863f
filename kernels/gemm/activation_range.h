// The activation that a pass fused into a matrix operator: a clamp of the fp32 result.
#pragma once

#include <limits>

#include "src/ir/attributes.h"

namespace halftone {

// y = min(max(x, low), high); NaN stays NaN.
struct ActivationRange {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  // Comparisons with NaN are false, so that NaN passes.
  template <typename T>
  [[nodiscard]] T Apply(T value) const {
    const T at_least = value < static_cast<T>(low) ? static_cast<T>(low) : value;
    return at_least > static_cast<T>(high) ? static_cast<T>(high) : at_least;
  }
};

// From the attributes kActivation, kActivationMin and kActivationMax (src/ir/graph.h); unbounded
// when there is none. Error kUnsupported for an activation of another name.
ActivationRange ActivationRangeOf(const Attributes& attributes);

}  // namespace halftone
