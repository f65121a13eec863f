// Means of channels against their definition, position by position.
#include "search/calibrate/channel_means.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "src/base/rng.h"
#include "tests/support/evaluate.h"

namespace halftone {
namespace {

struct Case {
  Shape shape;
  int axis;
};

class ChannelMeansTest : public ::testing::TestWithParam<Case> {};

// The order of additions differs: n additions of magnitudes of at most 1 are off by n^2 / 2 half
// units at most, of which the mean is n / 2.
TEST_P(ChannelMeansTest, AreMeansOfTheFiniteValuesOfEachRun) {
  const auto& [shape, axis] = GetParam();
  Rng rng(7);
  Tensor tensor = testing::RandomTensor({DType::kFloat32, shape}, rng);
  const auto values = tensor.mutable_values<float>();
  values[values.size() / 2] = std::numeric_limits<float>::infinity();
  values[values.size() / 3] = std::numeric_limits<float>::quiet_NaN();

  const std::int64_t channels = shape[axis];
  const std::int64_t inner = shape.ElementCount(axis + 1, shape.rank());
  const std::int64_t positions = shape.ElementCount() / channels;
  const std::int64_t parts = positions < kPartsOfSample ? 1 : kPartsOfSample;
  const std::vector<double> zeros(static_cast<std::size_t>(channels));
  std::vector sums(static_cast<std::size_t>(parts), zeros);
  std::vector counts = sums;
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    const double value = values[static_cast<std::size_t>(i)];
    const std::int64_t position = i / (inner * channels) * inner + i % inner;
    const auto part = static_cast<std::size_t>(position * parts / positions);
    const auto channel = static_cast<std::size_t>(i / inner % channels);
    sums[part][channel] += std::isfinite(value) ? value : 0;
    counts[part][channel] += std::isfinite(value) ? 1 : 0;
  }

  const auto means = ChannelMeans(tensor, axis);
  ASSERT_EQ(means.size(), sums.size());
  for (std::size_t part = 0; part < means.size(); ++part) {
    ASSERT_EQ(means[part].size(), zeros.size());
    for (std::size_t c = 0; c < zeros.size(); ++c) {
      const double count = std::max(counts[part][c], 1.0);
      EXPECT_NEAR(means[part][c], sums[part][c] / count,
                  count * std::numeric_limits<double>::epsilon())
          << part << ", " << c;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ChannelMeansTest,
                         ::testing::Values(Case{{1, 3, 8, 8}, 1}, Case{{2, 3, 5, 7}, 1},
                                           Case{{3, 2, 1, 1}, 1}, Case{{7, 5}, 1},
                                           Case{{2, 3, 4}, 2}, Case{{5, 6}, 0}, Case{{6}, 0},
                                           Case{{1, 1, 1, 13}, 1}));

}  // namespace
}  // namespace halftone
