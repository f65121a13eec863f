// What a model of sums does not explain: residuals of measured plans, as a normal field over plans.
// A plan is a vector of features, what it is made of and how much of each; plans that are made of
// much the same have similar residuals. Far from everything that was measured the field says zero,
// and how wrong the model usually is.
//
//   residual(a) ~ N(0, s^2 exp(-k (1 - cos(a, b)))),  cos = that of the angle between the features
//
// s and k are those of a small grid that make the measured residuals most likely (Rasmussen and
// Williams, Gaussian Processes for Machine Learning, 2006, chapters 2.2 and 5.4.1).
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace halftone {

struct Residual {
  std::vector<double> features;  // as many of each plan; all 0: like no other
  double value = 0;              // log of measured over predicted
  double noise = 0;              // standard deviation of the measurement, above 0
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

  [[nodiscard]] Value At(std::span<const double> features) const;

 private:
  class Fit;

  double unknown_;
  std::unique_ptr<const Fit> fit_;  // empty without residuals
};

}  // namespace halftone
