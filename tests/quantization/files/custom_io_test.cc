#include "src/quantization/files/custom_io.h"

#include <gtest/gtest.h>

#include <functional>

#include "src/base/error.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

std::vector<CustomIo> Example() {
  return {{.name = "input0",
           .layout = IoLayout::kNhwc,
           .precision = IoPrecision::kInt8,
           .scale = IoScale{.scale = 0.05F, .offset = -3}},
          {.name = "1", .layout = {}, .precision = IoPrecision::kFloat16, .scale = {}},
          {.name = "out", .layout = {}, .precision = {}, .scale = {}}};
}

TEST(CustomIoTest, Golden) {
  const std::string text = WriteCustomIo(Example());
  EXPECT_TRUE(testing::MatchesGolden(text, "quantization/custom_io.yaml"));
  EXPECT_EQ(ParseCustomIo(text, "f"), Example());
  EXPECT_TRUE(ParseCustomIo(WriteCustomIo({}), "f").empty());
}

TEST(CustomIoTest, TheTemplateChangesNothing) {
  const std::vector<IoTensor> tensors = {
      {.name = "image", .rank = 4, .precision = IoPrecision::kFloat},
      {.name = "q", .rank = 4, .precision = IoPrecision::kInt8},
      {.name = "ids", .rank = 2, .precision = {}}};
  const std::vector<CustomIo> entries = CustomIoTemplate(tensors);
  EXPECT_EQ(WriteCustomIo(entries),
            "- IOName: image\n  Layout: NCHW\n  Precision: float\n"
            "- IOName: q\n  Layout: NCHW\n  Precision: int8\n  Scale: 1\n  Offset: 0\n"
            "- IOName: ids\n");
  CheckCustomIo(ParseCustomIo(WriteCustomIo(entries), "f"), tensors, "f");
}

std::string MessageOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(CustomIoTest, NamesAndAxesAreThoseOfTheModel) {
  const std::vector<IoTensor> tensors = {
      {.name = "input0", .rank = 3, .precision = IoPrecision::kFloat},
      {.name = "1", .rank = 0, .precision = {}},
      {.name = "out", .rank = 4, .precision = {}}};
  EXPECT_EQ(MessageOf([&] { CheckCustomIo(Example(), tensors, "f"); }),
            "f: 'input0': expected Layout of a tensor of 4 axes, found 3; remove it");
  EXPECT_EQ(MessageOf([&] { CheckCustomIo(ParseCustomIo("- IOName: input1", "f"), tensors, "f"); }),
            "f: expected the name of an input or output of the model, found 'input1'; did you mean "
            "input0?");
  EXPECT_EQ(MessageOf([&] {
              CheckCustomIo(ParseCustomIo("- IOName: 1\n  Precision: float16", "f"), tensors, "f");
            }),
            "f: '1': expected no Precision, as the tensor is of no floating type; remove it");
}

struct BadCase {
  const char* name;
  const char* text;
  const char* message;
};

class BadCustomIoTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadCustomIoTest, SaysWhere) {
  EXPECT_EQ(MessageOf([] { ParseCustomIo(GetParam().text, "f.yaml"); }), GetParam().message);
}

const BadCase kBadCases[] = {
    {"Map", "IOName: a",
     "f.yaml:1: expected a list of inputs and outputs with IOName, found a map"},
    {"EntryIsScalar", "- a",
     "f.yaml:1: entry 1: expected a map with the keys IOName, Layout, Precision, Scale, Offset, "
     "found "
     "a scalar"},
    {"AnotherKey", "- IOName: a\n  Dtype: int8",
     "f.yaml:2: entry 1: expected the keys IOName, Layout, Precision, Scale, Offset; found "
     "'Dtype'"},
    {"NoName", "- Layout: NCHW", "f.yaml:1: entry 1: expected the key IOName, found none"},
    {"NameIsNull", "- IOName:\n  Layout: NCHW",
     "f.yaml:2: entry 1: IOName: expected the name of an input or output, found null"},
    {"Layout", "- IOName: a\n  Layout: nchw",
     "f.yaml:2: 'a': Layout: expected one of NCHW, NHWC, found 'nchw'"},
    {"Precision", "- IOName: a\n  Precision: [int8]",
     "f.yaml:2: 'a': Precision: expected one of float, float16, int8, found a list"},
    {"NoScale", "- IOName: a\n  Precision: int8\n  Offset: 0",
     "f.yaml:1: 'a': expected Scale and Offset, which int8 needs; found no Scale"},
    {"NoOffset", "- IOName: a\n  Precision: int8\n  Scale: 1",
     "f.yaml:1: 'a': expected Scale and Offset, which int8 needs; found no Offset"},
    {"ScaleOfFloat", "- IOName: a\n  Precision: float\n  Scale: 1",
     "f.yaml:3: 'a': expected Scale with Precision int8 only, found it without; remove it"},
    {"OffsetOfNothing", "- IOName: a\n  Offset: 1",
     "f.yaml:2: 'a': expected Offset with Precision int8 only, found it without; remove it"},
    {"ScaleZero", "- IOName: a\n  Precision: int8\n  Scale: 0\n  Offset: 0",
     "f.yaml:3: 'a': Scale: expected a number above 0, found '0'"},
    {"ScaleNan", "- IOName: a\n  Precision: int8\n  Scale: nan\n  Offset: 0",
     "f.yaml:3: 'a': Scale: expected a number above 0, found 'nan'"},
    {"ScaleText", "- IOName: a\n  Precision: int8\n  Scale: 1x\n  Offset: 0",
     "f.yaml:3: 'a': Scale: expected a number above 0, found '1x'"},
    {"OffsetRange", "- IOName: a\n  Precision: int8\n  Scale: 1\n  Offset: 128",
     "f.yaml:4: 'a': Offset: expected a whole number from -128 to 127, found '128'"},
    {"OffsetFraction", "- IOName: a\n  Precision: int8\n  Scale: 1\n  Offset: 1.5",
     "f.yaml:4: 'a': Offset: expected a whole number from -128 to 127, found '1.5'"},
    {"NameTwice", "- IOName: a\n- IOName: 'a'",
     "f.yaml:2: 'a': expected one entry of this name, found a second one"},
};

INSTANTIATE_TEST_SUITE_P(All, BadCustomIoTest, ::testing::ValuesIn(kBadCases),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
