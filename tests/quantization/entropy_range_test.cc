// Against a transcription: calibration_golden_test.cc. Here what its histograms do not have.
#include "src/quantization/entropy_range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace halftone {
namespace {

// Levels of equal bins lose nothing, however many bins are kept.
TEST(EntropyRangeTest, OfEqualDivergencesTensorRtTakesTheLast) {
  std::vector<double> counts(256);
  std::fill_n(counts.begin(), 100, 5);
  EXPECT_EQ(TensorRtEntropyMagnitude(counts, 2), 2);
}

TEST(EntropyRangeTest, FewerBinsThanLevelsOrNoCountsKeepTheRange) {
  EXPECT_EQ(TensorRtEntropyMagnitude(std::vector<double>(127, 1), 3), 3);
  EXPECT_EQ(TensorRtEntropyMagnitude(std::vector<double>(500), 3), 3);
  EXPECT_EQ(OnnxRuntimeEntropyRange(std::vector<double>(127, 1), 3), (ValueRange{-3, 3}));
  EXPECT_EQ(OnnxRuntimeEntropyRange(std::vector<double>(500), 3), (ValueRange{-3, 3}));
}

// ONNX Runtime's own default: 128 bins leave one window.
TEST(EntropyRangeTest, AsManyBinsAsLevelsIsMinMaxInOnnxRuntime) {
  std::vector<double> counts(128, 1);
  counts[64] = 1000;
  EXPECT_EQ(OnnxRuntimeEntropyRange(counts, 3), (ValueRange{-3, 3}));
}

}  // namespace
}  // namespace halftone
