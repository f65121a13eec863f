#include "search/strategies/search_insight.h"

#include <gtest/gtest.h>

namespace halftone {
namespace {

TEST(SearchInsightTest, ErrorsOfPredictionsAreMedians) {
  SearchInsight insight;
  EXPECT_EQ(PredictionErrorsOf(insight).decibels, 0);
  EXPECT_EQ(PredictionErrorsOf(insight).latency, 0);
  insight.predictions = {{{}, {0.5, 0.01}, {0.5, 0.1}},    // 20 dB, 0
                         {{}, {0.75, 0.1}, {1.0, 0.01}},   // 20 dB, 25 %
                         {{}, {1.5, 0.01}, {1.0, 0.01}},   // 0 dB, 50 %
                         {{}, {1.25, 0.0}, {1.0, 0.01}}};  // no decibels, 25 %
  EXPECT_NEAR(PredictionErrorsOf(insight).decibels, 20, 1e-9);
  EXPECT_NEAR(PredictionErrorsOf(insight).latency, 0.25, 1e-12);
}

}  // namespace
}  // namespace halftone
