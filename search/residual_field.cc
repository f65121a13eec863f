#include "search/residual_field.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/base/error.h"

namespace halftone {
namespace {

// Of the root mean square of the residuals.
constexpr double kDeviations[] = {0.25, 0.5, 1, 2};
constexpr double kLengths[] = {0.5, 1, 2, 4, 8, 16, 32};  // groups

std::vector<std::uint8_t> DigitsOf(std::span<const std::size_t> assignment) {
  std::vector<std::uint8_t> digits;
  for (const std::size_t choice : assignment) {
    Check(choice <= std::numeric_limits<std::uint8_t>::max(), "a group with more than 256 choices");
    digits.push_back(static_cast<std::uint8_t>(choice));
  }
  return digits;
}

double DistanceOf(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  unsigned differences = 0;
  for (std::size_t g = 0; g < a.size(); ++g) {
    differences += a[g] != b[g] ? 1U : 0U;
  }
  return differences;
}

}  // namespace

class ResidualField::Fit {
 public:
  Fit(std::span<const Residual> residuals, double unknown) {
    const auto count = static_cast<Eigen::Index>(residuals.size());
    Eigen::VectorXd values(count);
    noise_.resize(count);
    distances_.resize(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const Residual& residual = residuals[static_cast<std::size_t>(i)];
      Check(residual.noise > 0, "a residual without noise");
      values(i) = residual.value;
      noise_(i) = residual.noise * residual.noise;
      assignments_.push_back(DigitsOf(residual.assignment));
      for (Eigen::Index k = 0; k <= i; ++k) {
        distances_(i, k) =
            DistanceOf(assignments_.back(), assignments_[static_cast<std::size_t>(k)]);
        distances_(k, i) = distances_(i, k);
      }
    }
    const double typical = std::max(values.norm() / std::sqrt(static_cast<double>(count)), unknown);
    double most_likely = -std::numeric_limits<double>::infinity();
    for (const double deviation : kDeviations) {
      for (const double length : kLengths) {
        most_likely = TakeIfMoreLikely({deviation * typical, length}, values, most_likely);
      }
    }
  }

  [[nodiscard]] Value At(std::span<const std::size_t> assignment) const {
    const std::vector<std::uint8_t> digits = DigitsOf(assignment);
    Eigen::VectorXd covariance(static_cast<Eigen::Index>(assignments_.size()));
    const double variance = shape_.deviation * shape_.deviation;
    for (std::size_t i = 0; i < assignments_.size(); ++i) {
      covariance(static_cast<Eigen::Index>(i)) =
          variance * std::exp(-DistanceOf(digits, assignments_[i]) / shape_.length);
    }
    const double known = factor_.matrixL().solve(covariance).squaredNorm();
    return {covariance.dot(weights_), std::sqrt(std::max(variance - known, 0.0))};
  }

 private:
  struct Shape {
    double deviation = 0;
    double length = 1;
  };

  double TakeIfMoreLikely(const Shape& shape, const Eigen::VectorXd& values, double than) {
    Eigen::MatrixXd covariance =
        shape.deviation * shape.deviation * (distances_.array() / -shape.length).exp().matrix();
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

  std::vector<std::vector<std::uint8_t>> assignments_;
  Eigen::MatrixXd distances_;
  Eigen::VectorXd noise_;  // variances
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

ResidualField::Value ResidualField::At(std::span<const std::size_t> assignment) const {
  if (fit_ == nullptr) {
    return {0, unknown_};
  }
  Value value = fit_->At(assignment);
  value.deviation = std::max(value.deviation, unknown_ / 10);
  return value;
}

}  // namespace halftone
