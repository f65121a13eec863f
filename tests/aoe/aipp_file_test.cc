// Pre-processing files of AIPP: what becomes words of --image, and what is refused by part.
#include "src/aoe/aipp_file.h"

#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

TEST(AippFileTest, BecomesTheWordsOfImages) {
  EXPECT_EQ(ParseAipp(R"(# of the camera
aipp_op {
  related_input_rank : 0
  aipp_mode : static
  input_format : RGB888_U8
  csc_switch : false
  rbuv_swap_switch : true
  src_image_size_w : 256  # width
  src_image_size_h : 224
  crop : false
  mean_chn_0 : 104
  mean_chn_1 : 117
  mean_chn_2 : 123
  min_chn_0 : 0.5
  min_chn_1 : 0.0
  min_chn_2 : 0.0
  var_reci_chn_0 : 0.25
  var_reci_chn_1 : 0.5
  var_reci_chn_2 : 1.0
  matrix_r0c0 : 298
})",
                      "a.cfg"),
            "range=255,mean=104.5/117/123,std=4/2/1,bgr,resize=224x256");
}

TEST(AippFileTest, WithoutNumbersPixelsStay) {
  EXPECT_EQ(ParseAipp("aipp_op{aipp_mode:static input_format:\"RGB888_U8\"}", "a.cfg"),
            "range=255,mean=0/0/0,std=1/1/1,rgb");
  EXPECT_EQ(ParseAipp("aipp_op { input_format: YUV400_U8; mean_chn_0: 8, mean_chn_1: 9 }", "a.cfg"),
            "range=255,mean=8,std=1,gray");
}

struct BadCase {
  const char* name;
  const char* content;
  const char* message;
};

class BadAippFileTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadAippFileTest, SaysWhy) {
  try {
    ParseAipp(GetParam().content, "a.cfg");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

const BadCase kBad[] = {
    {"Parts",
     "aipp_op {\n aipp_mode: dynamic\n input_format: YUV420SP_U8\n csc_switch: true\n crop: 1\n}",
     "a.cfg: halftone does not do 4 parts of this pre-processing: aipp_mode: dynamic, line 2: "
     "parameters of every run (a static aipp_op takes those of the samples); crop: 1, line 5: a "
     "crop (what is beyond the network's extents is cut off around the centre); csc_switch: true, "
     "line 4: other colours than RGB (images are read as RGB888_U8); input_format: YUV420SP_U8: "
     "images are read as RGB888_U8, or as YUV400_U8 for gray"},
    {"NoFormat", "aipp_op {}",
     "a.cfg: halftone does not do 1 part of this pre-processing: input_format: missing: images are "
     "read as RGB888_U8, or as YUV400_U8 for gray"},
    {"Empty", "", "a.cfg:1: expected 'aipp_op', found the end"},
    {"AnotherBlock", "\nop {", "a.cfg:2: expected 'aipp_op', found 'op'"},
    {"NotClosed", "aipp_op {\n", "a.cfg:2: expected a key or '}', found the end"},
    {"Two", "aipp_op { input_format: RGB888_U8 }\naipp_op {}",
     "a.cfg:2: a second aipp_op: images are for networks of one input; give tensors for all of "
     "them as --inputs"},
    {"Behind", "aipp_op { } more", "a.cfg:1: expected one aipp_op, found 'more' behind it"},
    {"UnknownKey", "aipp_op { input_formatt: RGB888_U8 }",
     "a.cfg:1: 'input_formatt' is no key of aipp_op; close: input_format"},
    {"NoColon", "aipp_op { crop false }", "a.cfg:1: expected ':', found 'false'"},
    {"NoValue", "aipp_op { crop: }", "a.cfg:1: crop: expected a value, found '}'"},
    {"Twice", "aipp_op { crop: false crop: false }", "a.cfg:1: crop is given twice; give it once"},
    {"NoNumber", "aipp_op { input_format: RGB888_U8 mean_chn_1: x }",
     "a.cfg: mean_chn_1=x: expected a number from -65504 to 65504"},
    {"ScaleOfZero", "aipp_op { input_format: RGB888_U8 var_reci_chn_0: 0 }",
     "a.cfg: var_reci_chn_0=0: expected a number from 1e-06 to 65504"},
    {"WidthAlone", "aipp_op { input_format: RGB888_U8 src_image_size_w: 8 }",
     "a.cfg: src_image_size_h=: expected a whole number from 2 to 4096"},
};

INSTANTIATE_TEST_SUITE_P(Table, BadAippFileTest, ::testing::ValuesIn(kBad),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halftone
