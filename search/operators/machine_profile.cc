#include "search/operators/machine_profile.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

namespace halftone {
namespace {

// Number of calls in a fit: more than the extents of a call, so that the fit has a residual.
// halftone_kernel_choice measures the quality of predictions with these constants
// (docs/measurements/2026-11-25-zen4-kernel-choice.md).
constexpr std::size_t kNearest = 8;
// A call at this distance (in doublings of an extent) counts half as much as one at none.
constexpr double kHalfWeightDistance = 0.5;
// Keeps the slopes small in directions in which the nearest calls do not differ.
constexpr double kRidge = 1;
// What a prediction may be off by for each doubling between the call and the nearest one that was
// timed.
constexpr double kSpreadOfDoubling = 0.05;

struct Neighbour {
  Eigen::VectorXd offset;  // in doublings, from the call that is predicted
  double squared_distance = 0;
  double log_ratio = 0;
};

// Weighted linear fit of the logarithm of the ratio, at offset 0.
LogRatio FitAtOrigin(std::vector<Neighbour> calls) {
  std::ranges::stable_sort(calls, {}, &Neighbour::squared_distance);
  const auto nearest = std::span(calls).first(std::min(kNearest, calls.size()));
  const auto count = static_cast<Eigen::Index>(nearest.size());
  const Eigen::Index extents = nearest.front().offset.size();
  Eigen::VectorXd weights(count);
  Eigen::VectorXd ratios(count);
  Eigen::MatrixXd offsets(count, extents);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Neighbour& call = nearest[static_cast<std::size_t>(i)];
    weights[i] = 1 / (call.squared_distance + kHalfWeightDistance * kHalfWeightDistance);
    ratios[i] = call.log_ratio;
    offsets.row(i) = call.offset;
  }
  const double sum = weights.sum();
  const double mean_ratio = weights.dot(ratios) / sum;
  const Eigen::RowVectorXd mean_offset = (weights.transpose() * offsets) / sum;
  offsets.rowwise() -= mean_offset;
  ratios.array() -= mean_ratio;
  const Eigen::MatrixXd normal = offsets.transpose() * weights.asDiagonal() * offsets +
                                 kRidge * Eigen::MatrixXd::Identity(extents, extents);
  const Eigen::VectorXd slopes =
      normal.ldlt().solve(offsets.transpose() * weights.cwiseProduct(ratios));
  const Eigen::VectorXd rest = ratios - offsets * slopes;
  const double variance = weights.dot(rest.cwiseAbs2()) / sum;
  const double doublings = std::sqrt(nearest.front().squared_distance);
  return {.mean = mean_ratio - mean_offset.dot(slopes),
          .spread = std::hypot(std::sqrt(variance), kSpreadOfDoubling * doublings)};
}

Neighbour NeighbourAt(const CallShape& call, const CallShape& from, double ratio) {
  const auto count = static_cast<Eigen::Index>(from.sizes.size());
  const auto sizes_of = [&](const CallShape& shape) {
    return Eigen::Map<const Eigen::VectorXd>(shape.sizes.data(), count);
  };
  Eigen::VectorXd offset = sizes_of(call) - sizes_of(from);
  const double squared_distance = offset.squaredNorm();
  return {.offset = std::move(offset),
          .squared_distance = squared_distance,
          .log_ratio = std::log(ratio)};
}

double FastestSeconds(const ProfiledCall& call) {
  return std::ranges::min_element(call.seconds, {},
                                  [](const auto& kernel) { return kernel.second; })
      ->second;
}

}  // namespace

void MachineProfile::Add(OperatorProfile profile) {
  profiles_.push_back(std::move(profile));
}

std::vector<const ProfiledCall*> MachineProfile::CallsOf(const CallShape& shape) const {
  std::vector<const ProfiledCall*> calls;
  for (const OperatorProfile& profile : profiles_) {
    for (const ProfiledCall& call : profile.calls) {
      if (call.shape.family == shape.family && call.shape.sizes.size() == shape.sizes.size()) {
        calls.push_back(&call);
      }
    }
  }
  return calls;
}

std::optional<LogRatio> MachineProfile::Compare(const CallShape& shape, const std::string& kernel,
                                                const std::string& other) const {
  std::vector<Neighbour> neighbours;
  for (const ProfiledCall* call : CallsOf(shape)) {
    const auto here = call->seconds.find(kernel);
    const auto there = call->seconds.find(other);
    if (here != call->seconds.end() && there != call->seconds.end()) {
      neighbours.push_back(NeighbourAt(call->shape, shape, here->second / there->second));
    }
  }
  return neighbours.empty() ? std::nullopt : std::optional(FitAtOrigin(std::move(neighbours)));
}

std::optional<LogRatio> MachineProfile::CompareFastest(const CallShape& shape,
                                                       const CallShape& other) const {
  const std::vector<const ProfiledCall*> others = CallsOf(other);
  std::vector<Neighbour> neighbours;
  for (const ProfiledCall* call : CallsOf(shape)) {
    const auto same = std::ranges::find(
        others, call->shape.sizes,
        [](const ProfiledCall* its) -> const std::vector<double>& { return its->shape.sizes; });
    if (same != others.end()) {
      neighbours.push_back(
          NeighbourAt(call->shape, shape, FastestSeconds(*call) / FastestSeconds(**same)));
    }
  }
  return neighbours.empty() ? std::nullopt : std::optional(FitAtOrigin(std::move(neighbours)));
}

std::optional<KernelForecast> MachineProfile::Forecast(const CallShape& shape,
                                                       std::span<const std::string> kernels) const {
  KernelForecast forecast;
  double fastest = 0;
  for (std::size_t kernel = 1; kernel < kernels.size(); ++kernel) {
    const auto ratio = Compare(shape, kernels[kernel], kernels[0]);
    if (!ratio) {
      return std::nullopt;
    }
    if (ratio->mean < fastest) {
      fastest = ratio->mean;
      forecast.fastest = kernel;
    }
  }
  for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
    if (kernel == forecast.fastest) {
      forecast.contenders.push_back(kernel);
      continue;
    }
    const auto ratio = Compare(shape, kernels[kernel], kernels[forecast.fastest]);
    if (!ratio || ratio->mean - ratio->spread < std::log(kCloseRatio)) {
      forecast.contenders.push_back(kernel);
    }
  }
  return forecast;
}

}  // namespace halftone
