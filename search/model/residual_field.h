// Gaussian process over plans for the residuals of an additive model. The features of a plan
// describe the terms that it has; plans with similar features have similar residuals. Far from all
// measured plans, the mean is zero and the deviation is the usual error of the model.
//
//   covariance of the residuals of plans a and b = s^2 exp(-k (1 - cos(a, b)))
//
// cos is the cosine of the angle between the features of a and b. The values s and k are the
// maximum-likelihood pair of a small grid (Rasmussen and Williams, Gaussian Processes for Machine
// Learning, 2006, chapters 2.2 and 5.4.1).
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace halftone {

struct Residual {
  std::vector<double> features;  // of equal length for all plans; all 0: unlike any other plan
  double value = 0;              // natural logarithm of measured over predicted
  double noise = 0;              // standard deviation of the measurement, above 0
};

class ResidualField {
 public:
  struct Value {
    double mean = 0;
    double deviation = 0;  // of the residual, without measurement noise
  };

  // `unknown` is the standard deviation of a prediction before any measurement: without residuals,
  // the mean is zero and the deviation is `unknown`. The deviation is never below a tenth of
  // `unknown`.
  ResidualField(std::span<const Residual> residuals, double unknown);
  ResidualField(ResidualField&&) noexcept;
  ResidualField& operator=(ResidualField&&) noexcept;
  ~ResidualField();

  [[nodiscard]] Value At(std::span<const double> features) const;

 private:
  class Fit;

  double unknown_;
  std::unique_ptr<const Fit> fit_;  // null without residuals
};

}  // namespace halftone
