// What a model of sums does not explain: residuals of measured plans, as a normal field over
// assignments. Plans that differ in few groups have similar residuals; far from everything that was
// measured the field says zero, and how wrong the model usually is.
//
//   residual(a) ~ N(0, s^2 exp(-d(a, b) / l)),  d = number of groups that differ
//
// s and l are those of a small grid that make the measured residuals most likely (Rasmussen and
// Williams, Gaussian Processes for Machine Learning, 2006, chapters 2.2 and 5.4.1).
#pragma once

#include <memory>
#include <span>

#include "search/decisions.h"

namespace halftone {

struct Residual {
  Assignment assignment;
  double value = 0;  // log of measured over predicted
  double noise = 0;  // standard deviation of the measurement, above 0
};

class ResidualField {
 public:
  struct Value {
    double mean = 0;
    double deviation = 0;  // of the residual itself, without the noise of a measurement
  };

  // Without residuals: zero, with the deviation `unknown`, which is what a prediction may be off by
  // before anything was measured. Residuals never make the field surer than a tenth of it.
  ResidualField(std::span<const Residual> residuals, double unknown);
  ResidualField(ResidualField&&) noexcept;
  ResidualField& operator=(ResidualField&&) noexcept;
  ~ResidualField();

  [[nodiscard]] Value At(std::span<const std::size_t> assignment) const;

 private:
  class Fit;

  double unknown_;
  std::unique_ptr<const Fit> fit_;  // empty without residuals
};

}  // namespace halftone
