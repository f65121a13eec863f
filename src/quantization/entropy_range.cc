#include "src/quantization/entropy_range.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace halftone {
namespace {

constexpr std::size_t kLevels = 128;
constexpr double kEmptyBin = 1e-4;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// D(P || Q) in nats of the normalised distributions; infinite where P is and Q is not.
double RelativeEntropy(const std::vector<double>& p, const std::vector<double>& q) {
  const double p_sum = Sum(p);
  const double q_sum = Sum(q);
  double entropy = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] == 0) {
      continue;
    }
    if (q[i] == 0) {
      return kInfinity;
    }
    entropy += p[i] / p_sum * std::log(p[i] / p_sum / (q[i] / q_sum));
  }
  return entropy;
}

// Zeros become 1e-4, which the others pay for; false where they cannot.
bool Smooth(std::vector<double>& values) {
  const auto zeros = static_cast<double>(std::count(values.begin(), values.end(), 0.0));
  const double nonzeros = static_cast<double>(values.size()) - zeros;
  if (nonzeros == 0 || kEmptyBin * zeros / nonzeros >= 1) {
    return false;
  }
  for (double& value : values) {
    value = value == 0 ? kEmptyBin : value - kEmptyBin * zeros / nonzeros;
  }
  return true;
}

double OnnxRuntimeDivergence(std::span<const double> counts, std::size_t start, std::size_t stop) {
  const std::span<const double> inside = counts.subspan(start, stop - start);
  std::vector<double> p(inside.begin(), inside.end());
  p.front() += Sum(counts.first(start));
  p.back() += Sum(counts.subspan(stop));
  std::vector<double> q(p.size());
  const std::size_t merged = p.size() / kLevels;
  for (std::size_t level = 0; level < kLevels; ++level) {
    const std::size_t first = level * merged;
    const bool is_last = level + 1 == kLevels;
    const double sum = Sum(inside.subspan(first, is_last ? p.size() - first : merged));
    const auto nonempty = static_cast<double>(std::count_if(
        p.begin() + static_cast<std::ptrdiff_t>(first),
        p.begin() + static_cast<std::ptrdiff_t>(first + merged), [](double x) { return x != 0; }));
    if (nonempty != 0) {
      std::fill_n(q.begin() + static_cast<std::ptrdiff_t>(first), merged,
                  std::floor(sum / nonempty));
    }
  }
  return Smooth(p) && Smooth(q) ? RelativeEntropy(p, q) : kInfinity;
}

double TensorRtDivergence(std::span<const double> counts, std::size_t kept) {
  std::vector<double> sums(kLevels), nonempty(kLevels);
  const auto level_of = [&](std::size_t bin) { return bin * kLevels / kept; };
  for (std::size_t bin = 0; bin < kept; ++bin) {
    sums[level_of(bin)] += counts[bin];
    nonempty[level_of(bin)] += counts[bin] != 0 ? 1 : 0;
  }
  std::vector<double> p(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(kept));
  p.back() += Sum(counts.subspan(kept));
  std::vector<double> q(kept);
  for (std::size_t bin = 0; bin < kept; ++bin) {
    q[bin] = counts[bin] != 0 ? sums[level_of(bin)] / nonempty[level_of(bin)] : 0;
  }
  return RelativeEntropy(p, q);
}

}  // namespace

ValueRange OnnxRuntimeEntropyRange(std::span<const double> counts, double magnitude) {
  ValueRange best{-magnitude, magnitude};
  if (counts.size() < kLevels || Sum(counts) == 0) {
    return best;
  }
  const std::size_t middle = counts.size() / 2;
  const double width = 2 * magnitude / static_cast<double>(counts.size());
  double least = kInfinity;
  for (std::size_t i = kLevels / 2; i <= middle; ++i) {
    const std::size_t start = middle - i;
    const std::size_t stop = std::min(middle + i + 1, counts.size());
    const double divergence = OnnxRuntimeDivergence(counts, start, stop);
    if (divergence < least) {
      least = divergence;
      best = {static_cast<double>(start) * width - magnitude,
              stop == counts.size() ? magnitude : static_cast<double>(stop) * width - magnitude};
    }
  }
  return best;
}

double TensorRtEntropyMagnitude(std::span<const double> counts, double magnitude) {
  if (counts.size() < kLevels || Sum(counts) == 0) {
    return magnitude;
  }
  std::vector<double> bins(counts.begin(), counts.end());
  bins[0] = bins[1];
  double least = kInfinity;
  std::size_t best = bins.size();
  for (std::size_t kept = kLevels; kept <= bins.size(); ++kept) {
    const double divergence = TensorRtDivergence(bins, kept);
    if (divergence <= least && std::isfinite(divergence)) {
      least = divergence;
      best = kept;
    }
  }
  return magnitude * static_cast<double>(best) / static_cast<double>(bins.size());
}

}  // namespace halftone
