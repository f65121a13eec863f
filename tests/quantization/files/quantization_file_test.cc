#include "src/quantization/files/quantization_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>

#include "src/base/error.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

QuantizationFile Example() {
  QuantizationFile file;
  file.source = {.tool_version = "0.1.0",
                 .model = Hash128{1, 2},
                 .calibration_data = Hash128{3, 4},
                 .method = "auto",
                 .samples = 64};
  Quantization& quantization = file.quantization;
  quantization.activations["input"] = {.scale = 1.0F / 255, .zero_point = 0};
  quantization.activations["relu \"1\"\n"] = {.scale = 0.1F, .zero_point = 128};
  quantization.weights["conv.weight"] = {.scales = {0.25F, 1e-10F, 3}, .zero_points = {}};
  quantization.weights["fc.weight"] = {.scales = {0.5F}, .zero_points = {-3}};
  quantization.per_channel_weights = true;
  quantization.bias_shifts["conv"] = {0.5F, -0.0F, 1e-30F};
  file.operators = {{"conv", "int8"}, {"fc", "int8 to float32"}};
  return file;
}

TEST(QuantizationFileTest, Golden) {
  QuantizationFile file = Example();
  file.quantization.channel_factors["input"] = {.axis = 1, .factors = {0.5F, 2, 1e-3F}};
  const std::string text = WriteQuantization(file);
  EXPECT_TRUE(testing::MatchesGolden(text, "quantization/quantization.json"));
}

TEST(QuantizationFileTest, ReadsBackWhatItWrites) {
  const QuantizationFile file = Example();
  const QuantizationFile read = ParseQuantization(WriteQuantization(file), "q.json");
  EXPECT_EQ(read, file);
  EXPECT_EQ(read.quantization.Digest(), file.quantization.Digest());  // tells -0 from 0
  const QuantizationFile nothing;
  EXPECT_EQ(ParseQuantization(WriteQuantization(nothing), "q.json"), nothing);
}

TEST(QuantizationFileTest, ChannelFactorsReadBackAndMayBeMissing) {
  QuantizationFile file = Example();
  const std::string older = WriteQuantization(file);
  EXPECT_EQ(older.find("channel_factors"), std::string::npos);
  file.quantization.channel_factors["input"] = {.axis = 3, .factors = {0x1.234568p-9F, 1, 3e30F}};
  const std::string text = WriteQuantization(file);
  EXPECT_EQ(ParseQuantization(text, "q.json"), file);
  EXPECT_NE(ParseQuantization(text, "q.json"), ParseQuantization(older, "q.json"));
  const std::string factors = "\"axis\": 3";
  for (const auto& [wrong, message] : std::map<std::string, std::string>{
           {"\"axis\": -1", "channel_factors/input/axis: expected"},
           {"\"axes\": 3", "channel_factors/input: expected the keys axis, factors"}}) {
    std::string bad = text;
    bad.replace(bad.find(factors), factors.size(), wrong);
    try {
      ParseQuantization(bad, "q.json");
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

TEST(QuantizationFileTest, EveryFloatReadsBackToItsBits) {
  QuantizationFile file;
  std::vector<float>& shifts = file.quantization.bias_shifts["a"];
  shifts = {std::numeric_limits<float>::denorm_min(),
            std::numeric_limits<float>::min(),
            std::numeric_limits<float>::max(),
            -std::numeric_limits<float>::max(),
            16777216.0F,
            16777218.0F,
            0.0F,
            -0.0F};
  std::mt19937 random(1);
  while (shifts.size() < 20000) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(value)) {
      shifts.push_back(value);
    }
  }
  file.quantization.activations["b"] = {.scale = std::numeric_limits<float>::denorm_min()};
  file.quantization.activations["c"] = {.scale = std::numeric_limits<float>::max(),
                                        .zero_point = 255};
  const QuantizationFile read = ParseQuantization(WriteQuantization(file), "q.json");
  EXPECT_EQ(read.quantization.Digest(), file.quantization.Digest());
}

TEST(QuantizationFileTest, RangeAndDigestMayBeMissing) {
  std::string text = WriteQuantization(Example());
  const auto remove = [&](std::string_view from, std::string_view to) {
    const std::size_t start = text.find(from);
    text.erase(start, text.find(to, start) + to.size() - start);
  };
  remove("  \"digest\"", "\n");
  remove("\"range\"", "], ");
  EXPECT_EQ(ParseQuantization(text, "q.json"), Example());
}

struct BadCase {
  const char* name;
  std::string from;  // replaced in the golden file; empty: the whole text
  std::string to;
  std::string message;
};

std::string NameOf(const ::testing::TestParamInfo<BadCase>& info) {
  return info.param.name;
}

class BadQuantizationFileTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadQuantizationFileTest, SaysWhere) {
  const BadCase& bad = GetParam();
  std::string text = WriteQuantization(Example());
  if (bad.from.empty()) {
    text = bad.to;
  } else {
    ASSERT_NE(text.find(bad.from), std::string::npos);
    text.replace(text.find(bad.from), bad.from.size(), bad.to);
  }
  try {
    ParseQuantization(text, "q.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), "q.json" + bad.message);
  }
}

const BadCase kBadCases[] = {
    {"Empty", "", " ", ": expected JSON, found an empty file"},
    {"NoObject", "", "[1]", ": expected an object, found an array"},
    {"NotJson", "", "{\n\"schema_version\": x}",
     ":2:19: expected JSON: while parsing value - invalid literal; last read: '\"schema_version\": "
     "x'"},
    {"NoVersion", "", "{}", ": expected the key 'schema_version', found none of this name"},
    {"Version", "\"schema_version\": 1", "\"schema_version\": 2",
     ": schema_version: expected 1, found 2; it is of another version of halftone"},
    {"UnknownKey", "\"operators\"", "\"operator\"",
     ": expected the keys schema_version, tool, model_hash, calibration, digest, "
     "per_channel_weights, activations, channel_factors, weights, bias_shifts, operators; found "
     "'operator'"},
    {"NoKey", "  \"per_channel_weights\": true,\n", "",
     ": expected the key 'per_channel_weights', found none of this name"},
    {"KeyTwice", "\"per_channel_weights\": true", "\"digest\": \"\"",
     ": the key 'digest' stands twice in one object; keep one of them"},
    {"Tool", "\"name\": \"halftone\"", "\"name\": \"other\"",
     ": tool/name: expected \"halftone\", found \"other\""},
    {"Hash", "\"model_hash\": \"0", "\"model_hash\": \"",
     ": model_hash: expected null or 32 lower-case hexadecimal digits, found "
     "\"0000000000000010000000000000002\""},
    {"Samples", "\"samples\": 64", "\"samples\": -1",
     ": calibration/samples: expected a whole number from 0 to 9007199254740992, found -1"},
    {"PerChannel", "\"per_channel_weights\": true", "\"per_channel_weights\": 1",
     ": per_channel_weights: expected true or false, found 1"},
    {"ScaleIsText", "\"scale\": 0.1", "\"scale\": \"0.1\"",
     R"(: activations/relu "1"\n/scale: expected a number, found "0.1")"},
    {"ScaleZero", "\"scale\": 0.1", "\"scale\": 0",
     R"(: activations/relu "1"\n/scale: expected a number above 0 in float32, found 0)"},
    {"ScaleUnderflows", "\"scale\": 0.1", "\"scale\": 1e-60",
     R"(: activations/relu "1"\n/scale: expected a number above 0 in float32, found 1e-60)"},
    {"ScaleOverflows", "\"scale\": 0.1", "\"scale\": 1e39",
     R"(: activations/relu "1"\n/scale: expected a number of the range of float32, found 1e+39)"},
    {"ZeroPoint", "\"zero_point\": 128", "\"zero_point\": 256",
     R"(: activations/relu "1"\n/zero_point: expected a whole number from 0 to 255, found 256)"},
    {"ZeroPointFraction", "\"zero_point\": 128", "\"zero_point\": 127.5",
     R"(: activations/relu "1"\n/zero_point: expected a whole number from 0 to 255, found 127.5)"},
    {"Dtype", "\"dtype\": \"uint8\"", "\"dtype\": \"int8\"",
     ": activations/input/dtype: expected \"uint8\", found \"int8\""},
    {"Range", "\"range\": [0.0, 1.0", "\"range\": [0.0, 2.0",
     ": activations/input/range: expected the range of scale and zero_point, [0, "
     "1.0000000591389835], found [0, 2.0000000591389835]; change these three together, or remove "
     "the range"},
    {"RangeOfThree", "\"range\": [0.0", "\"range\": [0, 0.0",
     ": activations/input/range: expected the lowest and the highest value, found an array"},
    {"NoScales", "[0.5], \"zero_points\": [-3]", "[]",
     ": weights/fc.weight/scales: expected a scale for the tensor, or one for each channel, found "
     "an empty array"},
    {"WeightScale", "1e-10", "-1e-10",
     ": weights/conv.weight/scales[1]: expected a number above 0 in float32, found -1e-10"},
    {"ZeroPoints", "[-3]", "[-3, 2]",
     ": weights/fc.weight/zero_points: expected 1 zero point, as many as there are scales; found "
     "2"},
    {"WeightZeroPoint", "[-3]", "[-129]",
     ": weights/fc.weight/zero_points[0]: expected a whole number from -128 to 127, found -129"},
    {"Shift", "1e-30", "null", ": bias_shifts/conv[2]: expected a number, found null"},
    {"Operator", "\"int8 to float32\"", "\"int4\"",
     ": operators/fc: expected one of \"int8\", \"int8 to float32\", \"int8 to float16\", "
     "\"dynamic int8\", found \"int4\""},
    {"Digest", "1e-30", "1e-31",
     ": digest: expected 643e3fe7ba88dcdb9eb12bf07eb188e7, the digest of what stands in the file, "
     "found 'a33ebf01849e2220e3b20171fd83f4b7'; remove the "
     "digest where the file was edited on purpose"},
};

INSTANTIATE_TEST_SUITE_P(All, BadQuantizationFileTest, ::testing::ValuesIn(kBadCases), NameOf);

TEST(QuantizationFileTest, RefusesAHugeFile) {
  EXPECT_THROW(ParseQuantization(std::string(kMostQuantizationBytes + 1, ' '), "q"), Error);
}

TEST(QuantizationFileTest, RefusesNamesThatJsonCannotHold) {
  QuantizationFile file;
  file.operators["\xff"] = "int8";
  try {
    WriteQuantization(file);
    FAIL() << "written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_STREQ(error.what(),
                 R"(expected a name in UTF-8, which is all that JSON holds; found '\xff')");
  }
}

}  // namespace
}  // namespace halftone
