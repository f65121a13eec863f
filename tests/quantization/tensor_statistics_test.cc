#include "src/quantization/tensor_statistics.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "src/base/error.h"
#include "tests/quantization/drawn_tensors.h"

namespace halftone {
namespace {

using testing::Drawn;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> Normal(std::size_t count, std::uint64_t seed) {
  return Drawn(count, seed, [](Rng& rng) { return rng.Normal(); });
}

TEST(RangeCollectorTest, RangesAndMeansOfSamples) {
  RangeCollector collector;
  collector.AddSample(std::vector<float>{1, -2, 5});
  collector.AddSample(std::vector<float>{0.5F, 3});
  EXPECT_EQ(collector.observed(), (ValueRange{-2, 5}));
  EXPECT_EQ(collector.mean_of_samples(), (ValueRange{-0.75, 4}));
  EXPECT_EQ(collector.samples(), 2);
}

TEST(RangeCollectorTest, ValuesAtAnyPlaceOfAnySizeCount) {
  for (std::size_t size = 3; size <= 50; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::vector<float> values(size, 1);
      values[at] = -4;
      values[(at + 1) % size] = 7;
      values[(at + 2) % size] = kInfinity;
      if (at % 2 == 0) {
        values[(at + 2) % size] = kNan;
      }
      RangeCollector collector;
      collector.AddSample(values);
      ASSERT_EQ(collector.observed(), (ValueRange{-4, 7})) << size << ", " << at;
      ASSERT_EQ(collector.nan_count() + collector.infinity_count(), 1U) << size << ", " << at;
    }
  }
}

TEST(RangeCollectorTest, NanAndInfinitiesAreCountedApart) {
  RangeCollector collector(ChannelLayout{.channels = 2, .inner = 2});
  collector.AddSample(std::vector<float>{kNan, 1, -kInfinity, -3});
  EXPECT_EQ(collector.observed(), (ValueRange{-3, 1}));
  EXPECT_EQ(collector.nan_count(), 1U);
  EXPECT_EQ(collector.infinity_count(), 1U);
  EXPECT_EQ(collector.channel_means(), (std::vector<double>{1, -3}));
  RangeCollector none;
  none.AddSample(std::vector<float>{kNan, kInfinity});
  EXPECT_EQ(none.observed(), ValueRange{});
  EXPECT_EQ(none.mean_of_samples(), ValueRange{});
  EXPECT_EQ(none.samples(), 0);
}

TEST(RangeCollectorTest, StatisticsPerChannel) {
  const ChannelLayout layout = ChannelLayout::Of(std::vector<std::int64_t>{2, 3, 2}, 1);
  EXPECT_EQ(layout.channels, 3U);
  EXPECT_EQ(layout.inner, 2U);
  RangeCollector collector(layout);
  collector.AddSample(std::vector<float>{1, 2, 3, 4, 5, 6, -7, 8, 9, 10, 11, -12});
  EXPECT_EQ(collector.channel_magnitudes(), (std::vector<float>{8, 10, 12}));
  EXPECT_EQ(collector.channel_means(), (std::vector<double>{1, 6.5, 2.5}));
  EXPECT_THROW(collector.AddSample(std::vector<float>(5)), Error);
}

// What threads do: a collector for each sample, merged in the order of the samples.
TEST(RangeCollectorTest, MergedSamplesGiveTheBitsOfOneCollector) {
  const ChannelLayout layout{.channels = 5, .inner = 7};
  RangeCollector one(layout);
  RangeCollector merged(layout);
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    const std::vector<float> values = Normal(5 * 7 * 11, sample);
    one.AddSample(values);
    RangeCollector part(layout);
    part.AddSample(values);
    merged.Merge(part);
  }
  EXPECT_EQ(merged.observed(), one.observed());
  EXPECT_EQ(merged.mean_of_samples(), one.mean_of_samples());
  EXPECT_EQ(merged.samples(), one.samples());
  EXPECT_EQ(merged.channel_magnitudes(), one.channel_magnitudes());
  EXPECT_EQ(merged.channel_means(), one.channel_means());
  EXPECT_THROW(merged.Merge(RangeCollector()), Error);
}

TEST(TensorHistogramTest, UpperEdgesBelongToTheBinAbove) {
  TensorHistogram histogram({-1, 3}, 4);
  histogram.Add(std::vector<float>{-1, -0.5F, 0, 0.99F, 1, 2.5F, 3, kNan, kInfinity});
  EXPECT_EQ(histogram.counts, (std::vector<std::uint64_t>{2, 2, 1, 2}));
  EXPECT_EQ(histogram.zeros, 1U);
  EXPECT_EQ(histogram.total(), 7U);
  EXPECT_EQ(histogram.edge(0), -1);
  EXPECT_EQ(histogram.edge(1), 0);
  EXPECT_EQ(histogram.edge(4), 3);
}

// Values are placed in blocks: whatever the number of them, each counts in its bin.
TEST(TensorHistogramTest, EachValueCountsOnceWhateverTheirNumber) {
  const std::vector<float> drawn = Normal(1100, 3);
  for (const std::size_t size : {1, 2, 255, 256, 257, 511, 512, 513, 1100}) {
    std::vector<float> values(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(size));
    for (std::size_t i = 0; i < size; i += 5) {
      values[i] = i % 2 == 0 ? 0 : kNan;
    }
    values.back() = -kInfinity;
    TensorHistogram histogram({-1.5, 2}, 33);
    TensorHistogram expected = histogram;
    for (const float value : values) {
      if (std::isfinite(value)) {
        ++expected.counts[expected.bin_of(value)];
        expected.zeros += value == 0 ? 1 : 0;
      }
    }
    histogram.Add(values);
    ASSERT_EQ(histogram, expected) << size;
  }
}

TEST(TensorHistogramTest, ValuesOutsideGoToTheNearestBin) {
  TensorHistogram histogram({0, 1}, 2);
  histogram.Add(std::vector<float>{-5, 7});
  EXPECT_EQ(histogram.counts, (std::vector<std::uint64_t>{1, 1}));
  TensorHistogram single({2, 2}, 3);
  single.Add(std::vector<float>{2, 2});
  EXPECT_EQ(single.counts, (std::vector<std::uint64_t>{2, 0, 0}));
}

TEST(TensorHistogramTest, WidestRangeOfFloat32) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  TensorHistogram histogram({-kLargest, kLargest});
  histogram.Add(std::vector<float>{-kLargest, 0, kLargest});
  EXPECT_EQ(histogram.counts.front(), 1U);
  EXPECT_EQ(histogram.counts[kHistogramBins / 2], 1U);
  EXPECT_EQ(histogram.counts.back(), 1U);
}

TEST(TensorHistogramTest, MergingInAnyOrderIsTheSame) {
  const std::vector<float> values = Normal(1000, 1);
  const ValueRange range{-3, 3};
  TensorHistogram whole(range, 64), first(range, 64), second(range, 64);
  whole.Add(values);
  first.Add(std::span(values).subspan(700));
  second.Add(std::span(values).first(700));
  TensorHistogram merged = first;
  merged.Merge(second);
  EXPECT_EQ(merged, whole);
  second.Merge(first);
  EXPECT_EQ(second, whole);
  EXPECT_THROW(merged.Merge(TensorHistogram(range, 32)), Error);
}

}  // namespace
}  // namespace halftone
