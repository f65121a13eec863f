// The search that leaves out windows which cannot be the best finds the range of the one that looks
// at each, to the bit.
#include "src/quantization/kl_divergence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "tests/quantization/drawn_tensors.h"

namespace halftone {
namespace {

using ::halftone::testing::DrawLaplace;
using ::halftone::testing::Drawn;

constexpr std::size_t kLevels = 255;

void ReplaceZeros(std::vector<double>& values) {
  const auto zeros = static_cast<double>(std::ranges::count(values, 0));
  const double paid = 1e-4 * zeros / (static_cast<double>(values.size()) - zeros);
  if (zeros == static_cast<double>(values.size()) || paid >= 1) {
    return;
  }
  for (double& value : values) {
    value = value == 0 ? 1e-4 : value - paid;
  }
}

double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double Divergence(const std::vector<double>& p, const std::vector<double>& q) {
  const double p_sum = Sum(p);
  const double q_sum = Sum(q);
  double divergence = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double p_share = p[i] / p_sum;
    const double q_share = q[i] / q_sum;
    divergence += p_share > 0 && q_share > 0 ? p_share * std::log(p_share / q_share) : 0;
  }
  return divergence;
}

// AIMET's search over symmetric windows, from the text of kl_divergence.h; each window is tried.
ValueRange PlainSearch(const std::vector<double>& counts, double magnitude) {
  ValueRange best{-magnitude, magnitude};
  double least = std::numeric_limits<double>::infinity();
  const double width = 2 * magnitude / static_cast<double>(counts.size());
  for (std::size_t cut = 0; counts.size() - 2 * cut >= kLevels; ++cut) {
    const std::vector<double> inside(counts.begin() + static_cast<std::ptrdiff_t>(cut),
                                     counts.end() - static_cast<std::ptrdiff_t>(cut));
    if (Sum(inside) == 0) {
      break;
    }
    std::vector<double> p = inside;
    p.front() =
        std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(cut) + 1, 0.0);
    p.back() =
        std::accumulate(counts.end() - static_cast<std::ptrdiff_t>(cut) - 1, counts.end(), 0.0);
    const double per_level = static_cast<double>(inside.size()) / static_cast<double>(kLevels);
    std::vector<double> q(inside.size());
    for (std::size_t level = 0; level < kLevels; ++level) {
      const auto first =
          static_cast<std::size_t>(std::ceil(static_cast<double>(level) * per_level));
      const auto end =
          level + 1 == kLevels
              ? inside.size()
              : static_cast<std::size_t>(std::ceil(static_cast<double>(level + 1) * per_level));
      double sum = 0;
      double nonempty = 0;
      for (std::size_t i = first; i < end; ++i) {
        sum += inside[i];
        nonempty += inside[i] != 0 ? 1 : 0;
      }
      for (std::size_t i = first; i < end; ++i) {
        q[i] = inside[i] != 0 ? sum / nonempty : 0;
      }
    }
    ReplaceZeros(p);
    ReplaceZeros(q);
    const double divergence = Divergence(p, q);
    if (divergence < least) {
      least = divergence;
      best = {-magnitude + static_cast<double>(cut) * width,
              -magnitude + static_cast<double>(counts.size() - cut) * width};
    }
  }
  // Wider at the end that was cut more.
  const double ratio = std::max(best.low / -magnitude, best.high / magnitude);
  return {best.low / -magnitude > best.high / magnitude ? best.low : -(ratio * magnitude),
          best.low / -magnitude > best.high / magnitude ? ratio * magnitude : best.high};
}

class KlDivergenceTest : public ::testing::TestWithParam<int> {};

TEST_P(KlDivergenceTest, NoWindowThatCouldBeTheBestIsLeftOut) {
  const std::function<double(Rng&)> kinds[] = {
      [](Rng& rng) { return DrawLaplace(rng); },
      [](Rng& rng) { return std::max(DrawLaplace(rng), 0.0); },
      [](Rng& rng) { return 2 * rng.Uniform() - 1; },
      [](Rng& rng) { return std::pow(DrawLaplace(rng), 5); },    // a long tail
      [](Rng& rng) { return std::rint(3 * DrawLaplace(rng)); },  // mostly empty bins
      [](Rng& rng) { return rng.Uniform() < 0.999 ? rng.Uniform() : 40; }};
  for (const std::size_t bins : {255U, 256U, 700U}) {
    for (const std::size_t values : {12U, 500U, 30000U}) {
      const auto kind = static_cast<std::size_t>(GetParam());
      const std::vector<float> drawn = Drawn(values, 7 + values + bins, kinds[kind]);
      double magnitude = 0;
      for (const float value : drawn) {
        magnitude = std::max(magnitude, std::fabs(static_cast<double>(value)));
      }
      ASSERT_GT(magnitude, 0);
      std::vector<double> counts(bins);
      for (const float value : drawn) {
        const double at = (value + magnitude) / (2 * magnitude) * static_cast<double>(bins);
        counts[std::min(static_cast<std::size_t>(at), bins - 1)] += 1;
      }
      for (const double unit : {1.0, 0.5, 0.3}) {  // sums of thirds are rounded
        std::vector<double> scaled = counts;
        std::ranges::for_each(scaled, [&](double& count) { count *= unit; });
        const ValueRange found = AimetKlRange(scaled, {-magnitude, magnitude}, true);
        const ValueRange plain = PlainSearch(scaled, magnitude);
        EXPECT_EQ(found.low, plain.low) << bins << " bins, " << values << " values times " << unit;
        EXPECT_EQ(found.high, plain.high);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, KlDivergenceTest, ::testing::Range(0, 6));

}  // namespace
}  // namespace halftone
