#include "src/quantization/files/histogram_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "tests/support/example_record.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

using ::halftone::testing::ExampleRecord;
using ::testing::HasSubstr;

TEST(HistogramFileTest, Golden) {
  EXPECT_TRUE(
      testing::MatchesGolden(WriteHistograms(ExampleRecord()), "quantization/histograms.json"));
}

TEST(HistogramFileTest, ReadsBackWhatItWrites) {
  CalibrationRecord record = ExampleRecord();
  record.per_channel_weights = false;
  record.histograms_left_out = 7;
  record.pictures_left_out = 3;
  EXPECT_EQ(ParseHistograms(WriteHistograms(record), "h.json"), record);
  const CalibrationRecord nothing;
  EXPECT_EQ(ParseHistograms(WriteHistograms(nothing), "h.json"), nothing);
}

TEST(HistogramFileTest, BytesThatAreNotUtf8AreReplaced) {
  CalibrationRecord record = ExampleRecord();
  record.tensors[0].name = "a\xff";
  const CalibrationRecord read = ParseHistograms(WriteHistograms(record), "h.json");
  EXPECT_EQ(read.tensors[0].name, "a\xef\xbf\xbd");
}

// What is promised of the size: docs/reference/range_files.md.
TEST(HistogramFileTest, TheLargestHistogramAndPictureAreWithinTheBounds) {
  CalibrationRecord record;
  record.tensors.push_back(ExampleRecord().tensors[1]);
  const std::size_t before = WriteHistograms(record).size();
  record.tensors[0].histogram.counts.assign(kRecordBins, 99'999'999);
  EXPECT_LT(WriteHistograms(record).size() - before, 2'700U);
  WeightRecord weight = ExampleRecord().weights[1];
  record.weights = {weight};
  const std::size_t without = WriteHistograms(record).size();
  record.weights[0].places.assign(kRecordPlaces, {-0.1234567890123456, 1.2345678901234e-5, 1e-300});
  EXPECT_LT(WriteHistograms(record).size() - without, 8'200U);
}

struct Malformed {
  std::string from;
  std::string to;
  std::string message;
};

TEST(HistogramFileTest, MalformedFilesAreRefusedWithTheirPlace) {
  const std::string good = WriteHistograms(ExampleRecord());
  for (const auto& [from, to, message] : std::initializer_list<Malformed>{
           {"\"schema_version\": 1", "\"schema_version\": 2",
            "h.json: schema_version: expected 1 (it is of another version of halftone), found 2"},
           {"\"tensors\"", "\"tensor\"", "h.json: expected the keys schema_version, tool,"},
           {"\"zero_point\": 0", "\"zero_point\": 256",
            "h.json: tensors[0]/zero_point: expected a whole number from 0 to 255, found 256"},
           {"\"scale\": 0.01", "\"scale\": 0",
            "h.json: tensors[1]/scale: expected a number above 0 in float32, found 0"},
           {"\"counts\": [0, 5", "\"counts\": [-1, 5",
            "h.json: tensors[1]/histogram/counts[0]: expected a whole number from 0 to"},
           {"\"counts\": [0, 5, 20, 30, 20, 12, 8, 5]", "\"counts\": []",
            "h.json: tensors[1]/histogram/counts: expected a count for each bin, found an empty"},
           {"\"low\": -1.0", "\"low\": 4",
            "h.json: tensors[1]/histogram: expected low up to high, found 4 and 3"},
           {"\"observed\": [-1.0, 3.0]", "\"observed\": [3, -1]",
            "h.json: tensors[1]/seen/observed: expected the lowest value first, found 3 and -1"},
           {"\"factors\": [0.25, 1.0, 8.0]", "\"factors\": [1, 2]",
            "h.json: tensors[1]/factors: expected the least, the median and the largest"},
           {"\"channels_a_place\": 1", "\"channels_a_place\": 0",
            "h.json: weights[0]/channels_a_place: expected a whole number from 1"},
           {"[-0.127, 0.1, 0.001]", "[-0.127, 0.1]",
            "h.json: weights[0]/places[0]: expected the lowest and the highest weight and the"},
           {"\"method\": \"auto\"", "\"method\": null",
            "h.json: calibration/method: expected a text, found null"},
           {"\"model_hash\": \"", "\"model_hash\": \"x",
            "h.json: model_hash: expected null or 32 lower-case hexadecimal digits"}}) {
    std::string bad = good;
    ASSERT_NE(bad.find(from), std::string::npos) << from;
    bad.replace(bad.find(from), from.size(), to);
    try {
      ParseHistograms(bad, "h.json");
      ADD_FAILURE() << to;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(std::string(error.what()), HasSubstr(message));
    }
  }
}

}  // namespace
}  // namespace halftone
