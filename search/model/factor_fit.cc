#include "search/model/factor_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr double kLeastFactor = 0.05;

// Candidates for the extra noise of sums: relative standard deviations.
constexpr double kMisfits[] = {0, 0.05, 0.1, 0.2, 0.4, 0.8};

Eigen::Index Index(std::size_t i) {
  return static_cast<Eigen::Index>(i);
}

// covariance^-1 missing, with the misfit on the diagonal that makes `missing` most likely.
Eigen::VectorXd MostLikelyWeights(const Eigen::MatrixXd& covariance,
                                  const Eigen::VectorXd& missing) {
  Eigen::VectorXd weights;
  double most_likely = -std::numeric_limits<double>::infinity();
  for (const double misfit : kMisfits) {
    Eigen::MatrixXd with = covariance;
    with.diagonal().array() += misfit * misfit;
    const Eigen::LDLT<Eigen::MatrixXd> factor(with);
    const Eigen::VectorXd solved = factor.solve(missing);
    const double likelihood =
        -0.5 * missing.dot(solved) - 0.5 * factor.vectorD().array().log().sum();
    if (weights.size() == 0 || likelihood > most_likely) {
      most_likely = likelihood;
      weights = solved;
    }
  }
  return weights;
}

}  // namespace

std::vector<double> FitFactors(std::span<const std::size_t> kinds, std::span<const FitRow> rows,
                               std::span<const FitPrior> priors) {
  if (rows.empty() || kinds.empty()) {
    return std::vector<double>(kinds.size(), 1.0);
  }
  const std::size_t kind_count = *std::ranges::max_element(kinds) + 1;
  Check(kind_count <= priors.size(), "a kind of terms without a prior");
  Eigen::MatrixXd shares = Eigen::MatrixXd::Zero(Index(rows.size()), Index(kinds.size()));
  Eigen::MatrixXd by_kind = Eigen::MatrixXd::Zero(Index(rows.size()), Index(kind_count));
  Eigen::VectorXd noise(Index(rows.size()));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    noise(Index(row)) = rows[row].noise * rows[row].noise;
    for (const auto& [term, share] : rows[row].shares) {
      shares(Index(row), Index(term)) += share;
      by_kind(Index(row), Index(kinds[term])) += share;
    }
  }
  Eigen::VectorXd kind(Index(kind_count));
  Eigen::VectorXd own(Index(kinds.size()));
  for (std::size_t k = 0; k < kind_count; ++k) {
    kind(Index(k)) = priors[k].kind_deviation * priors[k].kind_deviation;
  }
  for (std::size_t term = 0; term < kinds.size(); ++term) {
    const double deviation = priors[kinds[term]].own_deviation;
    own(Index(term)) = deviation * deviation;
  }
  Eigen::MatrixXd covariance = by_kind * kind.asDiagonal() * by_kind.transpose() +
                               shares * own.asDiagonal() * shares.transpose();
  covariance.diagonal() += noise;
  const Eigen::VectorXd missing = (1 - shares.rowwise().sum().array()).matrix();
  const Eigen::VectorXd weights = MostLikelyWeights(covariance, missing);
  const Eigen::VectorXd of_kinds = kind.asDiagonal() * by_kind.transpose() * weights;
  const Eigen::VectorXd of_terms = own.asDiagonal() * shares.transpose() * weights;
  std::vector<double> factors;
  for (std::size_t term = 0; term < kinds.size(); ++term) {
    factors.push_back(
        std::max(kLeastFactor, 1 + of_kinds(Index(kinds[term])) + of_terms(Index(term))));
  }
  return factors;
}

}  // namespace halftone
