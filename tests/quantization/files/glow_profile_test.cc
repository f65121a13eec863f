#include "src/quantization/files/glow_profile.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

// As a vendor's tool might write it: padded keys, quotes, lists over several lines, keys of its
// own.
constexpr std::string_view kProfile = R"(---
GlowToolsVersion: 2020-01-01
VendorKey: {bins: 4, names: [a, "1", ~]}
...
---
GraphPreLowerHash: 0x00000000DEADbeef
...
---
- NodeOutputName:  'conv0_out:0'
  Min:             -1.5
  Max:             2.25
  Histogram:       [ 0, 3, 10,
                     1.04858e+06 ]
- NodeOutputName: A12:1
  Max: 0.1
  Min: +0.100000001490116119384765625
  Histogram:
    - 1
  Kind: activation
  Weight: "1"
...
)";

TEST(GlowProfileTest, ReadsARecord) {
  const GlowProfile profile = ParseGlowProfile(kProfile, "p.yaml");
  EXPECT_EQ(profile.Version(), "2020-01-01");
  EXPECT_EQ(profile.Hash(), "0x00000000DEADbeef");
  ASSERT_EQ(profile.records.size(), 2U);
  const GlowRecord& first = profile.records[0];
  EXPECT_EQ(first.name, "conv0_out:0");
  EXPECT_EQ(first.min, -1.5F);
  EXPECT_EQ(first.max, 2.25F);
  EXPECT_EQ(first.histogram, (std::vector<float>{0, 3, 10, 1048580}));
  EXPECT_TRUE(first.others.empty());
  const GlowRecord& second = profile.records[1];
  EXPECT_EQ(second.min, second.max);
  EXPECT_EQ(second.others.size(), 2U);
}

TEST(GlowProfileTest, RewritesWithVersionHashOrderAndUnknownKeys) {
  const std::string text = WriteGlowProfile(ParseGlowProfile(kProfile, "p.yaml"));
  EXPECT_TRUE(testing::MatchesGolden(text, "quantization/profile.yaml"));
  EXPECT_EQ(WriteGlowProfile(ParseGlowProfile(text, "p.yaml")), text);
}

TEST(GlowProfileTest, OldFilesHaveNoVersion) {
  const GlowProfile profile = ParseGlowProfile(
      "---\nGraphPreLowerHash: 0x1\n---\n- {NodeOutputName: a:0, Min: 0, Max: 0, Histogram: []}\n",
      "p");
  EXPECT_EQ(profile.Version(), std::nullopt);
  EXPECT_EQ(profile.Hash(), "0x1");
  EXPECT_TRUE(profile.records[0].histogram.empty());
}

TEST(GlowProfileTest, OwnProfileHasTheHashZero) {
  GlowProfile profile = OwnGlowProfile("halftone 0.1.0");
  profile.records.push_back({.name = "a:0", .min = -1, .max = 1, .histogram = {2}, .others = {}});
  const GlowProfile read = ParseGlowProfile(WriteGlowProfile(profile), "p");
  EXPECT_EQ(read.Version(), "halftone 0.1.0");
  EXPECT_EQ(read.Hash(), "0x0000000000000000");
}

TEST(GlowProfileTest, FloatsHaveAllTheirDigits) {
  EXPECT_EQ(GlowFloat(0.1F), "0.100000001490116119384765625");
  EXPECT_EQ(GlowFloat(-1.5F), "-1.5");
  EXPECT_EQ(GlowFloat(0), "0.0");
  EXPECT_EQ(GlowFloat(100), "100.0");
  EXPECT_EQ(GlowFloat(std::numeric_limits<float>::max()),
            "340282346638528859811704183484516925440.0");
  // 2^-100, exactly.
  EXPECT_EQ(GlowFloat(0x1p-100F),
            "0."
            "00000000000000000000000000000078886090522101180541172856528278622967320643510902300477"
            "02789306640625");
}

TEST(GlowProfileTest, RangesReadBackToTheirBits) {
  GlowProfile profile = OwnGlowProfile("x");
  std::vector<float> values = {std::numeric_limits<float>::denorm_min(),
                               std::numeric_limits<float>::min(), std::numeric_limits<float>::max(),
                               0.0F};
  std::mt19937 random(1);
  while (values.size() < 3000) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(value)) {
      values.push_back(std::abs(value));
    }
  }
  for (const float value : values) {
    profile.records.push_back(
        {.name = "a:0", .min = -value, .max = value, .histogram = {}, .others = {}});
  }
  const GlowProfile read = ParseGlowProfile(WriteGlowProfile(profile), "p");
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(read.records[i].max),
              std::bit_cast<std::uint32_t>(values[i]))
        << values[i];
    EXPECT_EQ(read.records[i].min, -values[i]);
  }
}

GlowRecord RecordOf(float min, float max, std::vector<float> histogram) {
  return {.name = "a:0", .min = min, .max = max, .histogram = std::move(histogram), .others = {}};
}

TEST(GlowProfileTest, AnotherRangeKeepsTheCounts) {
  GlowRecord record = RecordOf(-4, 4, {1, 2, 4, 8});
  SetRange(record, -4, 4);
  EXPECT_EQ(record.histogram, (std::vector<float>{1, 2, 4, 8}));
  SetRange(record, -2, 2);  // bins of 1; what lay outside saturates
  EXPECT_EQ(record.histogram, (std::vector<float>{2, 1, 2, 10}));
  EXPECT_EQ(record.min, -2);
  EXPECT_EQ(record.max, 2);
  SetRange(record, -4, 4);
  EXPECT_EQ(record.histogram, (std::vector<float>{0, 3, 12, 0}));
  SetRange(record, 10, 11);  // all below
  EXPECT_EQ(record.histogram, (std::vector<float>{15, 0, 0, 0}));
  SetRange(record, -5, 0);
  EXPECT_EQ(record.histogram, (std::vector<float>{0, 0, 0, 15}));
}

TEST(GlowProfileTest, RangesOfOneNumber) {
  GlowRecord record = RecordOf(1, 1, {3, 0, 2});
  SetRange(record, 0, 3);  // the number 1 begins the second bin
  EXPECT_EQ(record.histogram, (std::vector<float>{0, 5, 0}));
  SetRange(record, 1, 1);
  EXPECT_EQ(record.histogram[0] + record.histogram[1] + record.histogram[2], 5);
  GlowRecord empty = RecordOf(0, 1, {});
  SetRange(empty, 0, 2);
  EXPECT_EQ(empty.max, 2);
}

TEST(GlowProfileTest, AnyRangeKeepsTheSum) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> number(-10, 10);
  for (int i = 0; i < 200; ++i) {
    GlowRecord record = RecordOf(-3, 7, {});
    double sum = 0;
    for (int bin = 0; bin < 33; ++bin) {
      record.histogram.push_back(std::abs(number(random)));
      sum += static_cast<double>(record.histogram.back());
    }
    const float a = number(random);
    const float b = number(random);
    SetRange(record, std::min(a, b), std::max(a, b));
    double after = 0;
    for (const float count : record.histogram) {
      EXPECT_GE(count, 0);
      after += static_cast<double>(count);
    }
    // 33 counts are rounded to float32, each by at most 2^-24 of itself.
    EXPECT_NEAR(after, sum, sum * 0x1p-23);
  }
}

TEST(GlowProfileTest, NamesReadBack) {
  GlowProfile profile = OwnGlowProfile("x");
  for (const char* name : {"conv:0", "1:0", "a b: c", "y", "true", "#", "\xc3\xa9:1", "a:", ":0"}) {
    profile.records.push_back({.name = name, .min = 0, .max = 0, .histogram = {}, .others = {}});
  }
  const GlowProfile read = ParseGlowProfile(WriteGlowProfile(profile), "p");
  for (std::size_t i = 0; i < profile.records.size(); ++i) {
    EXPECT_EQ(read.records[i].name, profile.records[i].name);
  }
}

struct BadCase {
  const char* name;
  const char* from;  // replaced in kProfile; empty: the whole text
  const char* to;
  const char* message;
};

class BadGlowProfileTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadGlowProfileTest, SaysWhere) {
  const BadCase& bad = GetParam();
  const std::string_view from = bad.from;
  std::string text(kProfile);
  if (from.empty()) {
    text = bad.to;
  } else {
    ASSERT_NE(text.find(from), std::string::npos);
    text.replace(text.find(from), from.size(), bad.to);
  }
  try {
    ParseGlowProfile(text, "p.yaml");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), bad.message);
  }
}

const BadCase kBadCases[] = {
    {"Empty", "", "", "p.yaml:1: expected a profile in YAML, found an empty file"},
    {"NotYaml", "-1.5", "[", "p.yaml:12: expected YAML: end of sequence flow not found"},
    {"Scalar", "", "hello", "p.yaml:1: expected a map or the list of records, found a scalar"},
    {"NoRecords", "", "GraphPreLowerHash: 1\n",
     "p.yaml:1: expected a list of records with NodeOutputName, Min, Max and Histogram as the last "
     "document, found none"},
    {"EmptyRecords", "", "GraphPreLowerHash: 1\n---\n[]\n",
     "p.yaml:1: expected a list of records with NodeOutputName, Min, Max and Histogram as the last "
     "document, found none"},
    {"NoHash", "GraphPreLowerHash", "Hash",
     "p.yaml:1: expected the key GraphPreLowerHash before the records, found none"},
    {"HashIsNull", "0x00000000DEADbeef", "~",
     "p.yaml:6: GraphPreLowerHash: expected a text, found null"},
    {"HashIsList", "0x00000000DEADbeef", "[1]",
     "p.yaml:6: GraphPreLowerHash: expected a text, found a list"},
    {"BehindRecords", "\"1\"\n...\n", "\"1\"\n...\n---\na: 1\n",
     "p.yaml:23: expected the records as the last document, found another one"},
    {"TwoLists", "\"1\"\n...\n", "\"1\"\n...\n---\n- 1\n",
     "p.yaml:23: expected one list of records, found a second one"},
    {"RecordIsScalar", "- NodeOutputName: A12:1\n  Max: 0.1\n", "- 5\n- Max: 0.1\n",
     "p.yaml:14: record 2: expected a map with the keys NodeOutputName, Min, Max, Histogram, found "
     "a "
     "scalar"},
    {"NoName", "NodeOutputName: A12:1", "Name: A12:1",
     "p.yaml:14: record 2: NodeOutputName: expected a value, found no such key"},
    {"NameIsNull", "NodeOutputName: A12:1", "NodeOutputName: ~",
     "p.yaml:14: record 2: NodeOutputName: expected a name, found nothing"},
    {"NameIsMap", "NodeOutputName: A12:1", "NodeOutputName: {}",
     "p.yaml:14: record 2: NodeOutputName: expected a name, found a map"},
    {"NoMin", "  Min:             -1.5\n", "",
     "p.yaml:9: record 1 ('conv0_out:0'): Min: expected a value, found no such key"},
    {"NoHistogram", "  Histogram:\n    - 1\n", "",
     "p.yaml:14: record 2 ('A12:1'): Histogram: expected a value, found no such key"},
    {"MinIsText", "-1.5", "low",
     "p.yaml:10: record 1 ('conv0_out:0'): Min: expected a number of float32, found 'low'"},
    {"MinIsNan", "-1.5", ".nan",
     "p.yaml:10: record 1 ('conv0_out:0'): Min: expected a number of float32, found '.nan'"},
    {"MinIsInf", "-1.5", "-inf",
     "p.yaml:10: record 1 ('conv0_out:0'): Min: expected a number of float32, found '-inf'"},
    {"MaxOverflows", "2.25", "1e39",
     "p.yaml:11: record 1 ('conv0_out:0'): Max: expected a number of float32, found '1e39'"},
    {"MaxIsList", "2.25", "[1]",
     "p.yaml:11: record 1 ('conv0_out:0'): Max: expected a number, found a list"},
    {"MinAboveMax", "2.25", "-1.75",
     "p.yaml:11: record 1 ('conv0_out:0'): Max: expected at least Min, which is -1.5; found -1.75"},
    {"CountIsNegative", "3, 10", "3, -10",
     "p.yaml:12: record 1 ('conv0_out:0'): Histogram: expected counts from 0, found -10"},
    {"CountIsText", "3, 10", "3, ten",
     "p.yaml:12: record 1 ('conv0_out:0'): Histogram: expected a number of float32, found 'ten'"},
    {"HistogramIsNumber", "\n    - 1\n", " 1\n",
     "p.yaml:17: record 2 ('A12:1'): Histogram: expected a list of counts, found a scalar"},
    {"KeyTwice", "Kind:", "Min:", "p.yaml:19: 'Min' stands twice; keep one of them"},
};

INSTANTIATE_TEST_SUITE_P(All, BadGlowProfileTest, ::testing::ValuesIn(kBadCases),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
