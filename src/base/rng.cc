#include "src/base/rng.h"

#include <cmath>
#include <numbers>

namespace halftone {

double Rng::Normal() {
  const double radius = std::sqrt(-2.0 * std::log1p(-Uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * Uniform());
}

}  // namespace halftone
