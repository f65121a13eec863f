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
        symmetric_(symmetric) {}

  ValueRange Run() {
    Window window{0, counts_.size() - 1};
    Real least = std::numeric_limits<Real>::infinity();
    ValueRange best{low_, high_};
    while (window.size() >= kLevels) {
      FillP(window);
      FillQ(window);
      if (Rules::kEndsWhenEmpty && (Sum(p_) == 0 || Sum(q_) == 0)) {
        break;
      }
      ReplaceZeros(p_);
      ReplaceZeros(q_);
      const Real divergence = Divergence(p_, q_);
      if (divergence < least) {
        least = divergence;
        best = {EdgeAt(window.start), EdgeAt(window.stop + 1)};
      }
      window = Shrunk(window);
    }
    return symmetric_ ? WithEqualRatios(best) : best;
  }

 private:
  [[nodiscard]] Real EdgeAt(std::size_t bin) const {
    return low_ + static_cast<Real>(bin) * width_;
  }

  void FillP(Window window) {
    p_.assign(counts_.begin() + static_cast<std::ptrdiff_t>(window.start),
              counts_.begin() + static_cast<std::ptrdiff_t>(window.stop) + 1);
    p_.front() = std::accumulate(
        counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(window.start) + 1, Real{0});
    p_.back() = std::accumulate(counts_.begin() + static_cast<std::ptrdiff_t>(window.stop),
                                counts_.end(), Real{0});
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
