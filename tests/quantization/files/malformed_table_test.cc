// Malformed tables of ranges, with the exact messages.
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/quantization/files/range_table.h"

namespace halftone {
namespace {

struct BadCase {
  const char* name;
  const char* text;
  const char* message;
};

class BadRangeTableTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadRangeTableTest, SaysWhere) {
  try {
    ParseRangeTable(GetParam().text, "t");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

constexpr const char* kKinds =
    "t: expected a table of ranges (halftone's own file; encodings of AIMET, versions 0.4 to "
    "1.0.0; "
    "calibration.json of ONNX Runtime; calibration cache of TensorRT; profile of Glow or of "
    "qaic-compile -dump-profile; calibration.flatbuffers of ONNX Runtime; calibration.cache of "
    "ONNX "
    "Runtime), found another file";

const BadCase kBadCases[] = {
    {"Empty", "", kKinds},
    {"Prose", "hello world\n", kKinds},
    {"JsonList", "[1]", kKinds},
    {"Json", "{\"a\": [1, }",
     "t:1:11: expected JSON: while parsing value - unexpected '}'; expected '[', '{', or a "
     "literal"},
    {"OrtNumber", R"({"a": 1})", "t: a: expected the lowest and the highest value, found 1"},
    {"OrtThree", R"({"a": [1, 2, 3]})",
     "t: a: expected the lowest and the highest value, found an array"},
    {"OrtText", R"({"a": [1, "2"]})", "t: a[1]: expected a number, found \"2\""},
    {"OrtOrder", R"({"a": [2, 1]})",
     "t: a: expected the lowest value not above the highest, found 2 and 1"},
    {"OrtHalf", R"({"a": {"lowest": 1}})",
     "t: a: expected the key 'highest', found none of this name"},
    {"OrtEmptyArray", R"({"a": {"lowest": {"data": []}, "highest": 1}})",
     "t: a/lowest/data: expected a number or a list of numbers, found an empty array"},
    {"CacheLine", "a 1\nb\n", "t:2: expected 'tensor value', found 'b'"},
    {"CacheNan", "a 1\nb nan\n", "t:2: expected 'tensor value', found 'b nan'"},
    {"CacheTwice", "a 1\na 2\n", "t:2: the tensor 'a' stands twice; keep one of them"},
    {"TensorRtDigits", "TRT-1-x\na: 3f80000\n",
     "t:2: expected 'name: ' and the 8 hexadecimal digits of a scale from 0, found 'a: 3f80000'"},
    {"TensorRtNan", "TRT-1-x\na: 7fc00000\n",
     "t:2: expected 'name: ' and the 8 hexadecimal digits of a scale from 0, found 'a: 7fc00000'"},
    {"TensorRtNegative", "TRT-1-x\na: bf800000\n",
     "t:2: expected 'name: ' and the 8 hexadecimal digits of a scale from 0, found 'a: bf800000'"},
    {"TensorRtSign", "TRT-1-x\na: -3f80000\n",
     "t:2: expected 'name: ' and the 8 hexadecimal digits of a scale from 0, found 'a: -3f80000'"},
    {"TensorRtNoColon", "TRT-1-x\nabc\n",
     "t:2: expected 'name: ' and the 8 hexadecimal digits of a scale from 0, found 'abc'"},
    {"TensorRtTwice", "TRT-1-x\na: 3f800000\na: 3f800000\n",
     "t:3: the tensor 'a' stands twice; keep one of them"},
    {"AimetVersion2", R"({"version": "2.0.0", "encodings": []})",
     "t: version: expected encodings of a version up to 1.0.0, found newer ones; export them as "
     "1.0.0"},
    {"AimetEmpty", R"({"activation_encodings": {"a": []}})",
     "t: activation_encodings/a: expected an encoding, or one for each channel, found an empty "
     "array"},
    {"AimetDtype", R"({"activation_encodings": {"a": [{"dtype": "fixed"}]}})",
     "t: activation_encodings/a[0]/dtype: expected \"int\" or \"float\", found \"fixed\""},
    {"AimetBits", R"({"activation_encodings": {"a": [{"bitwidth": 33}]}})",
     "t: activation_encodings/a[0]/bitwidth: expected a whole number from 2 to 32, found 33"},
    {"AimetBitsDiffer",
     R"({"param_encodings": {"a": [{"bitwidth": 8, "scale": 1, "offset": 0}, {"bitwidth": 4}]}})",
     "t: param_encodings/a[1]/bitwidth: expected 8, as in the first channel, found 4"},
    {"AimetScale",
     R"({"activation_encodings": {"a": [{"bitwidth": 8, "scale": -1, "offset": 0}]}})",
     "t: activation_encodings/a[0]/scale: expected a number above 0 in float32, found -1"},
    {"AimetNoOffset", R"({"activation_encodings": {"a": [{"bitwidth": 8, "scale": 1}]}})",
     "t: activation_encodings/a[0]: expected the key 'offset', found none of this name"},
    {"AimetOffset",
     R"({"activation_encodings": {"a": [{"bitwidth": 8, "scale": 1, "offset": -256}]}})",
     "t: activation_encodings/a[0]/offset: expected a whole number from -255 to 255, found -256"},
    {"AimetPositiveOffset",
     R"({"activation_encodings": {"a": [{"bitwidth": 8, "scale": 1, "offset": 3}]}})",
     "t: activation_encodings/a[0]/offset: expected a whole number from -255 to 0, found 3"},
    {"AimetMinMax", R"({"activation_encodings": {"a": [{"bitwidth": 8, "min": 2, "max": 1}]}})",
     "t: activation_encodings/a[0]: expected min not above max, found 2 and 1"},
    {"AimetNoStep", R"({"activation_encodings": {"a": [{"bitwidth": 8, "min": 0, "max": 0}]}})",
     "t: activation_encodings/a[0]: expected min and max with a step above 0 between them in "
     "float32"},
    {"AimetSymmetric",
     R"({"activation_encodings": {"a": [{"bitwidth": 8, "is_symmetric": 1, "scale": 1, "offset": 0}]}})",
     "t: activation_encodings/a[0]/is_symmetric: expected true or false, found 1"},
    {"NewAimetName", R"({"activation_encodings": [{"dtype": "INT"}]})",
     "t: activation_encodings[0]: expected the key 'name', found none of this name"},
    {"NewAimetDtype", R"({"activation_encodings": [{"name": "a", "dtype": "int"}]})",
     "t: activation_encodings[0]/dtype: expected \"INT\" or \"FLOAT\", found \"int\""},
    {"NewAimetScales",
     R"({"activation_encodings": [{"name": "a", "dtype": "INT", "bw": 8, "enc_type": "PER_TENSOR",
         "scale": [1, 2], "offset": [0, 0]}]})",
     "t: activation_encodings[0]/scale: expected one scale, or of PER_CHANNEL one for each "
     "channel, "
     "found an array"},
    {"NewAimetOffsets",
     R"({"activation_encodings": [{"name": "a", "dtype": "INT", "bw": 8, "enc_type": "PER_CHANNEL",
         "scale": [1, 2], "offset": [0]}]})",
     "t: activation_encodings[0]/offset: expected 2 offsets, as many as there are scales; found 1"},
    {"NewAimetTwice",
     R"({"activation_encodings": [{"name": "a", "dtype": "FLOAT", "bw": 16}, {"name": "a", "dtype": "FLOAT", "bw": 16}]})",
     "t: the tensor 'a' stands twice; keep one of them"},
    {"Own", R"({"schema_version": 2, "activations": {}})",
     "t: schema_version: expected 1, found 2; it is of another version of halftone"},
    {"Glow", "GraphPreLowerHash: 1\n---\n- NodeOutputName: a\n",
     "t:3: record 1 ('a'): Min: expected a value, found no such key"},
};

INSTANTIATE_TEST_SUITE_P(All, BadRangeTableTest, ::testing::ValuesIn(kBadCases),
                         [](const auto& row) { return row.param.name; });

TEST(RangeTableTest, RefusesAHugeFile) {
  const std::string spaces(kMostJsonTableBytes, ' ');
  try {
    ParseRangeTable("{" + spaces, "t");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "t: expected at most 67108864 bytes, found 67108865");
  }
}

}  // namespace
}  // namespace halftone
