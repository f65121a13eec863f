#include "src/cli/step_progress.h"

#include <gtest/gtest.h>

namespace halftone {
namespace {

TEST(StepProgressTest, WorkThatSaysNothingIsShownWithinTwoSeconds) {
  StepProgress progress(100, 5);
  progress.Set("reading 'm.onnx'", 0, 0, 100);
  EXPECT_EQ(progress.TextAt(100.9), "");
  EXPECT_EQ(progress.TextAt(101), "reading 'm.onnx', 0:01 so far");
  EXPECT_EQ(progress.TextAt(102), "") << "a line every five seconds";
  EXPECT_EQ(progress.TextAt(106), "reading 'm.onnx', 0:06 so far");
}

TEST(StepProgressTest, CountedWorkSaysHowLongTheRestTakes) {
  StepProgress progress(0, 1);
  progress.Set("accuracy", 0, 48, 10);
  EXPECT_EQ(progress.TextAt(11), "accuracy: 0 of 48, 0:11 so far");
  progress.Set("accuracy", 3, 48, 31);
  EXPECT_EQ(progress.TextAt(31), "accuracy: 3 of 48, about 5:15 left, 0:31 so far");
  progress.Set("timed runs", 4, 0, 60);
  EXPECT_EQ(progress.TextAt(60), "timed runs: 4, 1:00 so far");
}

TEST(StepProgressTest, NoWorkIsNoLine) {
  StepProgress progress(0, 1);
  EXPECT_EQ(progress.TextAt(50), "");
}

}  // namespace
}  // namespace halftone
