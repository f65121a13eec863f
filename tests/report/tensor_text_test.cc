#include "src/report/tensor_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/example_record.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

using ::halftone::testing::ExampleRecord;
using ::halftone::testing::MatchesGolden;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(TensorTextTest, Golden) {
  const CalibrationRecord record = ExampleRecord();
  EXPECT_TRUE(MatchesGolden(TensorText(record, record.tensors[1], 80), "report/tensor.txt"));
  EXPECT_TRUE(MatchesGolden(WeightText(record.weights[0], 80), "report/weight.txt"));
}

TEST(TensorTextTest, AMoverNamesTheTensorWhoseValuesItHas) {
  const CalibrationRecord record = ExampleRecord();
  const std::string text = TensorText(record, record.tensors[2], 80);
  EXPECT_THAT(text, HasSubstr("values of      conv1:0\n"));
  EXPECT_THAT(text, HasSubstr("histogram, bars"));
}

TEST(TensorTextTest, OfAGivenScaleThereIsNoHistogram) {
  const CalibrationRecord record = ExampleRecord();
  const std::string text = TensorText(record, record.tensors[0], 80);
  EXPECT_THAT(text, HasSubstr("made by        input of the network\n"));
  EXPECT_THAT(text, Not(HasSubstr("seen")));
  EXPECT_THAT(text, Not(HasSubstr("histogram")));
}

// 256 bins become 32 rows; a row that holds any value has a bar.
TEST(TensorTextTest, RowsJoinBins) {
  CalibrationRecord record = ExampleRecord();
  TensorRecord& tensor = record.tensors[1];
  tensor.histogram.counts.assign(kRecordBins, 0);
  tensor.histogram.counts[0] = 1;
  tensor.histogram.counts.back() = 1'000'000'000;
  const std::string text = TensorText(record, tensor, 80);
  EXPECT_THAT(text, HasSubstr("\n          -1 to -0.875                1  x clipped\n"));
  EXPECT_THAT(text, HasSubstr("\n      -0.875 to -0.75                 0\n"));
  EXPECT_THAT(text, HasSubstr("\n       2.875 to 3            1000000000  "
                              "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx clipped\n"));
}

TEST(TensorTextTest, SeveralChannelsAPlaceAreSaid) {
  WeightRecord weight = ExampleRecord().weights[0];
  weight.channels = 11;
  weight.channels_a_place = 3;
  EXPECT_THAT(WeightText(weight, 80),
              HasSubstr("\n3 result channels a row: lowest and highest weight, largest scale\n"
                        "       0 "));
  EXPECT_THAT(WeightText(weight, 80), HasSubstr("\n       9         -2      15.88      0.125  "));
  EXPECT_THAT(WeightCsv(weight), HasSubstr("\n9,10,-2,15.875,0.125\n"));
}

TEST(TensorCsvTest, SaysWhatOfABinIsClipped) {
  const CalibrationRecord record = ExampleRecord();
  EXPECT_EQ(TensorCsv(record, record.tensors[1]),
            "from,to,values,clipped\n-1,-0.5,0,yes\n-0.5,0,5,partly\n0,0.5,20,no\n0.5,1,30,no\n"
            "1,1.5,20,no\n1.5,2,12,no\n2,2.5,8,no\n2.5,3,5,partly\n");
  EXPECT_EQ(TensorCsv(record, record.tensors[0]), "from,to,values,clipped\n");
}

}  // namespace
}  // namespace halftone
