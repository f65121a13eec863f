#include "src/quantization/kl_divergence.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace halftone {
namespace {

constexpr std::size_t kLevels = 255;
constexpr double kEmptyBin = 1e-4;

// Bins start to stop of a histogram.
struct Window {
  std::size_t start = 0;
  std::size_t stop = 0;  // inclusive

  [[nodiscard]] std::size_t size() const { return stop - start + 1; }
};

struct GlowRules {
  using Real = float;
  static constexpr bool kFillWherePIsNotZero = true;
  static constexpr bool kEndsWhenEmpty = false;
  static constexpr bool kKeepsZeroInside = false;

  static std::size_t LevelStart(std::size_t level, std::size_t window) {
    return level * (window / kLevels);
  }
};

struct AimetRules {
  using Real = double;
  static constexpr bool kFillWherePIsNotZero = false;
  static constexpr bool kEndsWhenEmpty = true;
  static constexpr bool kKeepsZeroInside = true;

  static std::size_t LevelStart(std::size_t level, std::size_t window) {
    const double bins_per_level = static_cast<double>(window) / static_cast<double>(kLevels);
    return static_cast<std::size_t>(std::ceil(static_cast<double>(level) * bins_per_level));
  }
};

template <typename Real>
void ReplaceZeros(std::vector<Real>& values) {
  const auto zeros = static_cast<Real>(std::count(values.begin(), values.end(), Real{0}));
  const Real nonzeros = static_cast<Real>(values.size()) - zeros;
  if (nonzeros == 0) {
    return;
  }
  const Real paid = static_cast<Real>(kEmptyBin) * zeros / nonzeros;
  if (paid >= 1) {
    return;
  }
  for (Real& value : values) {
    value = value == 0 ? static_cast<Real>(kEmptyBin) : value - paid;
  }
}

template <typename Real>
Real Sum(const std::vector<Real>& values) {
  return std::accumulate(values.begin(), values.end(), Real{0});
}

// D(P || Q) in nats of the normalised distributions; 0 where one of them is empty.
template <typename Real>
Real Divergence(const std::vector<Real>& p, const std::vector<Real>& q) {
  const Real p_sum = Sum(p);
  const Real q_sum = Sum(q);
  if (p_sum == 0 || q_sum == 0) {
    return 0;
  }
  Real divergence = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Real p_share = p[i] / p_sum;
    const Real q_share = q[i] / q_sum;
    if (p_share > 0 && q_share > 0) {
      // Rounded from double, so that it does not depend on the library's logarithm of float32.
      divergence += p_share * static_cast<Real>(std::log(static_cast<double>(p_share / q_share)));
    }
  }
  return divergence;
}

template <typename Rules>
class Search {
 public:
  using Real = typename Rules::Real;

  Search(std::span<const Real> counts, ValueRange range, bool symmetric)
      : counts_(counts),
        low_(static_cast<Real>(range.low)),
        high_(static_cast<Real>(range.high)),
        width_((high_ - low_) / static_cast<Real>(counts.size())),
        symmetric_(symmetric),
        below_(counts.size() + 1),
        empty_below_(counts.size() + 1) {
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
      below_[bin + 1] = below_[bin] + static_cast<double>(counts[bin]);
      empty_below_[bin + 1] = empty_below_[bin] + (counts[bin] == 0 ? 1 : 0);
      if (counts[bin] > 0) {
        least_count_ = std::min(least_count_, static_cast<double>(counts[bin]));
      }
      are_halves_ = are_halves_ && std::floor(2 * counts[bin]) == 2 * counts[bin];
    }
  }

  ValueRange Run() {
    Window window{0, counts_.size() - 1};
    Real least = std::numeric_limits<Real>::infinity();
    ValueRange best{low_, high_};
    for (; window.size() >= kLevels; window = Shrunk(window)) {
      if (LeastDivergenceAt(window) >= static_cast<double>(least)) {
        continue;
      }
      if (Rules::kEndsWhenEmpty && below_[window.stop + 1] == below_[window.start]) {
        break;
      }
      FillP(window);
      FillQ(window);
      ReplaceZeros(p_);
      ReplaceZeros(q_);
      const Real divergence = Divergence(p_, q_);
      if (divergence < least) {
        least = divergence;
        best = {EdgeAt(window.start), EdgeAt(window.stop + 1)};
      }
    }
    return symmetric_ ? WithEqualRatios(best) : best;
  }

 private:
  [[nodiscard]] Real EdgeAt(std::size_t bin) const {
    return low_ + static_cast<Real>(bin) * width_;
  }

  // A lower bound of Divergence() at a window in a fraction of its time: that of three cells, the
  // end bins and all between them, which the log-sum inequality says is no larger (Cover and
  // Thomas, "Elements of Information Theory", theorem 2.7.1), less twice what rounding may add to
  // it. Shares of n bins have a relative error of at most (n + 1) eps, their logarithms 2 (n + 3)
  // eps, the sum of n products n eps of the sum of their magnitudes, which is at most 2 above the
  // divergence. -infinity: the inequality may not hold, or sums of counts are rounded.
  [[nodiscard]] double LeastDivergenceAt(Window window) const {
    constexpr double kUnknown = -std::numeric_limits<double>::infinity();
    if (!AreSumsExact<double>()) {
      return kUnknown;
    }
    const auto [start, stop] = window;
    const std::size_t size = window.size();
    const double total = below_.back();
    const double inside = below_[stop + 1] - below_[start];
    const double front = below_[start + 1];
    const double back = total - below_[stop];
    const auto filled = [](Real count, double sum) { return count == 0 && sum > 0; };
    const bool fills_front = filled(counts_[start], front);
    const bool fills_back = filled(counts_[stop], back);
    const std::size_t empty = EmptyIn(start, stop + 1);
    const std::size_t p_empty = empty - (fills_front ? 1 : 0) - (fills_back ? 1 : 0);
    const double p_paid = PaidFor(p_empty, size);
    const double q_paid = PaidFor(empty, size);
    // Else a bin may be left with nothing, or Q is filled by another rule.
    if (inside <= 0 || std::max(p_paid, q_paid) > least_count_ / 2 ||
        (Rules::kFillWherePIsNotZero && (fills_front || fills_back))) {
      return kUnknown;
    }
    const auto q_at = [&](std::size_t bin, std::size_t first, std::size_t end) {
      const auto nonempty = static_cast<double>(end - first - EmptyIn(first, end));
      return counts_[bin] == 0 ? kEmptyBin : (below_[end] - below_[first]) / nonempty - q_paid;
    };
    const auto p_at = [&](double sum) { return sum == 0 ? kEmptyBin : sum - p_paid; };
    const double p_front = p_at(front) / total;
    const double p_back = p_at(back) / total;
    const double q_front = q_at(start, start, start + Rules::LevelStart(1, size)) / inside;
    const double q_back =
        q_at(stop, start + Rules::LevelStart(kLevels - 1, size), stop + 1) / inside;
    const double p_between = 1 - p_front - p_back;
    const double q_between = 1 - q_front - q_back;
    if (p_between <= 0 || q_between <= 0) {
      return kUnknown;
    }
    const double bound = p_front * std::log(p_front / q_front) +
                         p_back * std::log(p_back / q_back) +
                         p_between * std::log(p_between / q_between);
    const auto n = static_cast<double>(size);
    const double rounding = static_cast<double>(std::numeric_limits<Real>::epsilon()) *
                            (2 * (n + 3) + 2 * (n + 1) * (bound + 2));
    return bound - 2 * rounding;
  }

  // True if counts are whole or halves, and so few that T holds each sum of them.
  template <typename T>
  [[nodiscard]] bool AreSumsExact() const {
    return are_halves_ && 2 * below_.back() <= 1 / double{std::numeric_limits<T>::epsilon()};
  }

  // Sum of the counts from bin `first` to before `end`, rounded as one addition after the other is.
  [[nodiscard]] Real SumOf(std::size_t first, std::size_t end) const {
    return AreSumsExact<Real>()
               ? static_cast<Real>(below_[end] - below_[first])
               : std::accumulate(counts_.begin() + static_cast<std::ptrdiff_t>(first),
                                 counts_.begin() + static_cast<std::ptrdiff_t>(end), Real{0});
  }

  [[nodiscard]] std::size_t EmptyIn(std::size_t first, std::size_t end) const {
    return empty_below_[end] - empty_below_[first];
  }

  // Part of a count that ReplaceZeros() takes from each of the others.
  static double PaidFor(std::size_t zeros, std::size_t size) {
    return kEmptyBin * static_cast<double>(zeros) /
           static_cast<double>(std::max<std::size_t>(size - zeros, 1));
  }

  void FillP(Window window) {
    p_.assign(counts_.begin() + static_cast<std::ptrdiff_t>(window.start),
              counts_.begin() + static_cast<std::ptrdiff_t>(window.stop) + 1);
    p_.front() = SumOf(0, window.start + 1);
    p_.back() = SumOf(window.stop, counts_.size());
  }

  void FillQ(Window window) {
    const std::size_t size = window.size();
    const std::span<const Real> inside = counts_.subspan(window.start, size);
    q_.assign(size, 0);
    for (std::size_t level = 0; level < kLevels; ++level) {
      const std::size_t start = Rules::LevelStart(level, size);
      const std::size_t stop = level + 1 < kLevels ? Rules::LevelStart(level + 1, size) : size;
      Real sum = 0;
      std::size_t nonempty = 0;
      for (std::size_t i = start; i < stop; ++i) {
        sum += inside[i];
        nonempty += inside[i] != 0 ? 1 : 0;
      }
      if (nonempty == 0) {
        continue;
      }
      const Real mean = sum / static_cast<Real>(nonempty);
      for (std::size_t i = start; i < stop; ++i) {
        if ((Rules::kFillWherePIsNotZero ? p_[i] : inside[i]) != 0) {
          q_[i] = mean;
        }
      }
    }
  }

  // The window without the two bins that lose fewest values; on equal terms both ends, then the
  // left.
  [[nodiscard]] Window Shrunk(Window window) const {
    const auto [start, stop] = window;

    enum { kBoth, kLeft, kRight } side = kBoth;

    if (!symmetric_) {
      const Real both = counts_[start] + counts_[stop];
      const Real left = counts_[start] + counts_[start + 1];
      const Real right = counts_[stop] + counts_[stop - 1];
      side = both <= left && both <= right ? kBoth : left <= right ? kLeft : kRight;
      if (Rules::kKeepsZeroInside) {
        if ((side == kBoth && EdgeAt(start + 1) > 0) || (side == kLeft && EdgeAt(start + 2) > 0)) {
          side = kRight;
        } else if ((side == kBoth && EdgeAt(stop) < 0) ||
                   (side == kRight && EdgeAt(stop - 1) < 0)) {
          side = kLeft;
        }
      }
    }
    return side == kBoth   ? Window{start + 1, stop - 1}
           : side == kLeft ? Window{start + 2, stop}
                           : Window{start, stop - 2};
  }

  // Wider at the end that was cut more, to the same share of its end of the histogram.
  [[nodiscard]] ValueRange WithEqualRatios(ValueRange range) const {
    const double low_ratio = range.low / static_cast<double>(low_);
    const double high_ratio = range.high / static_cast<double>(high_);
    if (low_ratio > high_ratio) {
      range.high = static_cast<Real>(low_ratio * static_cast<double>(high_));
    } else {
      range.low = static_cast<Real>(high_ratio * static_cast<double>(low_));
    }
    return range;
  }

  std::span<const Real> counts_;
  Real low_, high_, width_;
  bool symmetric_;
  std::vector<double> below_;             // sum of the counts below each bin
  std::vector<std::size_t> empty_below_;  // empty bins below each bin
  bool are_halves_ = true;                // each count is whole or a half
  double least_count_ = std::numeric_limits<double>::infinity();  // of bins that are not empty
  std::vector<Real> p_, q_;
};

template <typename Rules>
ValueRange LeastDivergence(std::span<const typename Rules::Real> counts, ValueRange range,
                           bool symmetric) {
  const bool searches = counts.size() >= kLevels && range.low < range.high &&
                        (!symmetric || (range.low < 0 && range.high > 0)) &&
                        HasFloat32Bins(range, counts.size());
  return searches ? Search<Rules>(counts, range, symmetric).Run() : range;
}

}  // namespace

bool HasFloat32Bins(ValueRange range, std::size_t bins) {
  const double extent = range.high - range.low;
  return extent <= std::numeric_limits<float>::max() &&
         extent / static_cast<double>(bins) >= std::numeric_limits<float>::min();
}

ValueRange GlowKlRange(std::span<const float> counts, ValueRange range, bool symmetric) {
  return LeastDivergence<GlowRules>(counts, range, symmetric);
}

ValueRange AimetKlRange(std::span<const double> counts, ValueRange range, bool symmetric) {
  return LeastDivergence<AimetRules>(counts, range, symmetric);
}

}  // namespace halftone
