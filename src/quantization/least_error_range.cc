#include "src/quantization/least_error_range.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "src/quantization/range_error.h"

namespace halftone {
namespace {

constexpr int kRounds = 3;
constexpr std::size_t kCandidates = 64;

double ErrorOfRange(const TensorHistogram& histogram, ValueRange range, bool symmetric) {
  const QuantizationGrid grid = symmetric ? SymmetricGrid(range.high) : AsymmetricGrid(range);
  return ErrorOnGrid(histogram, grid).total();
}

// The best range so far, and its error.
struct Best {
  const TensorHistogram& histogram;
  bool symmetric;
  ValueRange range;
  double error;

  // Keeps `candidate` where its error is less; of equal ones the first.
  bool Try(ValueRange candidate) {
    if (candidate.low >= candidate.high) {
      return false;
    }
    const double candidate_error = ErrorOfRange(histogram, candidate, symmetric);
    if (candidate_error < error) {
      range = candidate;
      error = candidate_error;
      return true;
    }
    return false;
  }
};

// One end of a range: the positions 0 (the value 0) to `count` (the end of the histogram), one a
// bin.
struct End {
  double outermost = 0;  // below 0: the lower end
  std::size_t count = 0;
  std::size_t at = 0;  // the best position

  [[nodiscard]] double ValueAt(std::size_t position) const {
    return outermost * static_cast<double>(position) / static_cast<double>(count);
  }
};

// Positions of bin edges on one side of 0. Where 0 is no edge itself they are off by less than a
// bin.
End EndAt(double outermost, double width) {
  const auto count = static_cast<std::size_t>(std::ceil(std::abs(outermost) / width));
  return {outermost, count, count};
}

template <typename RangeAt>
void SearchEnd(End& end, std::size_t stride, std::size_t around, Best& best, RangeAt range_at) {
  const std::size_t reach = around * stride;
  const std::size_t first = end.at > reach ? end.at - reach : 0;
  const std::size_t last = std::min(end.count, end.at + reach);
  for (std::size_t position = first; position <= last; position += stride) {
    if (best.Try(range_at(end.ValueAt(position)))) {
      end.at = position;
    }
  }
}

// The first value at or above which at least `share` of the counts lie, as a bin edge: `upper`
// takes the bin's upper one.
double OrderStatistic(const TensorHistogram& histogram, double share, bool upper) {
  const double wanted = share * static_cast<double>(histogram.total());
  double seen = 0;
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    seen += static_cast<double>(histogram.counts[bin]);
    if (seen >= wanted && seen > 0) {
      return histogram.edge(upper ? bin + 1 : bin);
    }
  }
  return histogram.high;
}

// A step and the number of the lowest grid point.
struct SqnrCandidate {
  double step;
  double offset;
};

double SqnrCost(const TensorHistogram& histogram, SqnrCandidate candidate) {
  constexpr double kClippedWeight = 3;
  const double width = histogram.width();
  const auto last_bin = static_cast<double>(histogram.counts.size() - 1);
  const auto bin_at = [&](double value) {
    return std::clamp(std::floor((value - histogram.low) / width), 0.0, last_bin);
  };
  const auto centre = [&](double bin) { return histogram.low + bin * width + width / 2; };
  const double low = candidate.step * candidate.offset;
  const double low_bin = bin_at(low);
  const double high_bin = bin_at(candidate.step * 255 + low);
  double clipped = 0, rounded = 0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const auto bin = static_cast<double>(i);
    const auto count = static_cast<double>(histogram.counts[i]);
    const double value = centre(bin);
    if (bin < low_bin || bin >= high_bin) {
      const double error = value - centre(bin < low_bin ? low_bin : high_bin);
      clipped += count * error * error;
    } else {
      const double error =
          value - candidate.step *
                      (std::round(value / candidate.step - candidate.offset) + candidate.offset);
      rounded += count * error * error;
    }
  }
  return kClippedWeight * clipped + rounded;
}

// The candidate made to lie within a range; a step of 0: it lies around the range, or beside it.
SqnrCandidate Within(SqnrCandidate candidate, ValueRange range) {
  const double low = candidate.step * candidate.offset;
  const double high = low + candidate.step * 255;
  if (low < range.low && high > range.high) {
    return {0, 0};
  }
  const double step = (std::min(high, range.high) - std::max(low, range.low)) / 255;
  return step > 0 ? SqnrCandidate{step, std::round(std::max(low, range.low) / step)}
                  : SqnrCandidate{0, 0};
}

std::vector<SqnrCandidate> SqnrCandidates(ValueRange observed, bool symmetric) {
  std::vector<SqnrCandidate> candidates;
  if (symmetric) {
    const double largest = 2 * std::max(observed.high, -observed.low) / 255;
    for (int i = 1; i <= 101; ++i) {
      candidates.push_back({i / 100.0 * largest, -128});
    }
    return candidates;
  }
  const double step = (observed.high - observed.low) / 255;
  const double offset = std::round(observed.low / step);
  const ValueRange on_grid{step * offset, step * offset + step * 255};
  for (int i = 1; i <= 17; ++i) {
    for (int j = 0; j <= 20; ++j) {
      const SqnrCandidate candidate =
          Within({i / 16.0 * step, std::trunc(-255 + 255 / 20.0 * j)}, on_grid);
      if (candidate.step > 0) {
        candidates.push_back(candidate);
      }
    }
  }
  candidates.push_back({step, offset});
  return candidates;
}

}  // namespace

ValueRange LeastSquaresRange(const TensorHistogram& histogram, bool symmetric) {
  const ValueRange observed = WithZero({histogram.low, histogram.high});
  if (histogram.low >= histogram.high || histogram.total() == 0) {
    return observed;
  }
  const double magnitude = std::max(observed.high, -observed.low);
  const ValueRange all = symmetric ? ValueRange{-magnitude, magnitude} : observed;
  Best best{histogram, symmetric, all, ErrorOfRange(histogram, all, symmetric)};
  End high = EndAt(all.high, histogram.width());
  End low = EndAt(symmetric ? 0 : all.low, histogram.width());
  for (int round = 0; round < kRounds; ++round) {
    for (End* end : {&high, &low}) {
      if (end->count == 0) {
        continue;
      }
      const std::size_t stride = round == 0 ? (end->count + kCandidates - 1) / kCandidates : 1;
      SearchEnd(*end, stride, round == 0 ? kCandidates : kCandidates / 2, best,
                [&](double value) -> ValueRange {
                  return symmetric     ? ValueRange{-value, value}
                         : end == &low ? ValueRange{value, best.range.high}
                                       : ValueRange{best.range.low, value};
                });
    }
  }
  return best.range;
}

ValueRange IfmrRange(const TensorHistogram& histogram, bool symmetric) {
  constexpr double kShare = 0.999999;
  const ValueRange observed = WithZero({histogram.low, histogram.high});
  if (histogram.low >= histogram.high || histogram.total() == 0) {
    return observed;
  }
  ValueRange start = WithZero(
      {OrderStatistic(histogram, 1 - kShare, false), OrderStatistic(histogram, kShare, true)});
  double limit = observed.high;
  if (symmetric) {
    const double magnitude = std::max(start.high, -start.low);
    start = {-magnitude, magnitude};
    limit = std::max(observed.high, -observed.low);
  }
  Best best{histogram, symmetric, start, std::numeric_limits<double>::infinity()};
  for (int percent = 70; percent <= 130; ++percent) {
    const double high = std::min(start.high * percent / 100, limit);
    best.Try({symmetric ? -high : start.low, high});
  }
  return best.range;
}

ValueRange SqnrRange(const TensorHistogram& histogram, bool symmetric) {
  const ValueRange observed = WithZero({histogram.low, histogram.high});
  if (histogram.low >= histogram.high || histogram.total() == 0) {
    return observed;
  }
  double least = std::numeric_limits<double>::infinity();
  SqnrCandidate best{};
  for (const SqnrCandidate candidate : SqnrCandidates(observed, symmetric)) {
    const double cost = SqnrCost(histogram, candidate);
    if (cost < least) {
      least = cost;
      best = candidate;
    }
  }
  const ValueRange range{best.step * best.offset, best.step * (best.offset + 255)};
  return symmetric ? range
                   : ValueRange{std::clamp(range.low, observed.low, 0.0),
                                std::clamp(range.high, 0.0, observed.high)};
}

}  // namespace halftone
