#include "search/model/residual_field.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/error.h"

namespace halftone {
namespace {

// Candidates for s, relative to the root mean square of the residuals.
constexpr double kDeviations[] = {0.25, 0.5, 1, 2};
constexpr double kSlopes[] = {0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256};

Eigen::VectorXd Normalized(std::span<const double> features) {
  return Eigen::Map<const Eigen::VectorXd>(features.data(),
                                           static_cast<Eigen::Index>(features.size()))
      .stableNormalized();
}

}  // namespace

class ResidualField::Fit {
 public:
  Fit(std::span<const Residual> residuals, double unknown) {
    const auto count = static_cast<Eigen::Index>(residuals.size());
    Eigen::VectorXd values(count);
    noise_.resize(count);
    features_.resize(count, static_cast<Eigen::Index>(residuals.front().features.size()));
    for (Eigen::Index i = 0; i < count; ++i) {
      const Residual& residual = residuals[static_cast<std::size_t>(i)];
      Check(residual.noise > 0, "a residual without noise");
      Check(std::ssize(residual.features) == features_.cols(), "features of another length");
      values(i) = residual.value;
      noise_(i) = residual.noise * residual.noise;
      features_.row(i) = Normalized(residual.features);
    }
    const Eigen::MatrixXd distances = 1 - (features_ * features_.transpose()).array();
    const double typical = std::max(values.norm() / std::sqrt(static_cast<double>(count)), unknown);
    double most_likely = -std::numeric_limits<double>::infinity();
    for (const double deviation : kDeviations) {
      for (const double slope : kSlopes) {
        most_likely =
            TakeIfMoreLikely({deviation * typical, slope}, distances, values, most_likely);
      }
    }
  }

  [[nodiscard]] Value At(std::span<const double> features) const {
    const double variance = shape_.deviation * shape_.deviation;
    const Eigen::VectorXd covariance =
        variance *
        (-shape_.slope * (1 - (features_ * Normalized(features)).array())).exp().matrix();
    const double known = factor_.matrixL().solve(covariance).squaredNorm();
    return {covariance.dot(weights_), std::sqrt(std::max(variance - known, 0.0))};
  }

 private:
  struct Shape {
    double deviation = 0;
    double slope = 1;
  };

  double TakeIfMoreLikely(const Shape& shape, const Eigen::MatrixXd& distances,
                          const Eigen::VectorXd& values, double than) {
    Eigen::MatrixXd covariance =
        shape.deviation * shape.deviation * (distances.array() * -shape.slope).exp().matrix();
    covariance.diagonal() += noise_;
    const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
    const Eigen::VectorXd weights = factor.solve(values);
    const double likelihood =
        -0.5 * values.dot(weights) - factor.matrixLLT().diagonal().array().log().sum();
    if (likelihood <= than) {
      return than;
    }
    shape_ = shape;
    factor_ = factor;
    weights_ = weights;
    return likelihood;
  }

  Eigen::MatrixXd features_;  // by residual, of length 1
  Eigen::VectorXd noise_;     // variances
  Shape shape_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd weights_;
};

ResidualField::ResidualField(std::span<const Residual> residuals, double unknown)
    : unknown_(unknown),
      fit_(residuals.empty() ? nullptr : std::make_unique<const Fit>(residuals, unknown)) {}

ResidualField::ResidualField(ResidualField&&) noexcept = default;
ResidualField& ResidualField::operator=(ResidualField&&) noexcept = default;
ResidualField::~ResidualField() = default;

ResidualField::Value ResidualField::At(std::span<const double> features) const {
  if (fit_ == nullptr) {
    return {0, unknown_};
  }
  Value value = fit_->At(features);
  value.deviation = std::max(value.deviation, unknown_ / 10);
  return value;
}

}  // namespace halftone
