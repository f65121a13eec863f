#include "src/quantization/files/amct_config.h"

#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/quantization/files/proto_text.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

AmctConfig Example() {
  AmctConfig config;
  config.activation_offset = false;
  config.batch_num = 16;
  config.skip_layers = {"layer_a", "layer \"b\"\\\n"};
  config.skip_layer_types = {"AvgPoolV2"};
  config.skip_fusion_layers = {"conv_1"};
  config.common.ifmr.search_range_start = 0.8;
  config.types = {{.name = "MatMulV2", .calibration = {.channel_wise = false, .ifmr = {}}}};
  config.layers = {{.name = "conv_7", .calibration = {}}};
  config.layers[0].calibration.ifmr.asymmetric = false;
  config.tensors = {{.layer = "pool_1", .input = 0}, {.layer = "add", .input = 1}};
  return config;
}

TEST(AmctConfigTest, Golden) {
  const std::string text = WriteAmctConfig(Example());
  EXPECT_TRUE(testing::MatchesGolden(text, "quantization/quant.cfg"));
  EXPECT_EQ(ParseAmctConfig(text, "f"), Example());
}

TEST(AmctConfigTest, ReadsTheFormsOfTheTextFormat) {
  const AmctConfig config = ParseAmctConfig(
      "# a comment\nactivation_offset: true; joint_quant: 0,\nversion: 1 batch_num: 2\n"
      "skip_layers: \"a\" skip_layers: 'b' \"c\"\nskip_layers: [\"d\", 'e\\'\\t']\n"
      "common_config: { arq_quantize: { channel_wise: false quant_bits: 8 }\n"
      "  ifmr_quantize: { search_range_start : 0.7 search_step: 1e-2 asymmetric: true } }\n"
      "tensor_quantize { layer_name: \"pool\" }",
      "f");
  EXPECT_EQ(config.skip_layers, (std::vector<std::string>{"a", "bc", "d", "e'\t"}));
  EXPECT_FALSE(config.common.channel_wise);
  EXPECT_EQ(config.batch_num, 2);
  EXPECT_EQ(config.common.ifmr.asymmetric, true);
  EXPECT_EQ(config.tensors, (std::vector<AmctTensor>{{.layer = "pool", .input = 0}}));
  EXPECT_EQ(ParseAmctConfig("", "f"), AmctConfig{});
}

TEST(AmctConfigTest, KnowsLines) {
  const auto fields = ParseProtoText("a: 1\n\n# c\nb {\n  c: \"x\"\n}\n", "f");
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[1].line, 4);
  EXPECT_EQ(fields[1].fields[0].line, 5);
}

struct BadCase {
  const char* name;
  std::string text;
  const char* message;
};

class BadAmctConfigTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadAmctConfigTest, SaysWhere) {
  try {
    ParseAmctConfig(GetParam().text, "q.cfg");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

std::string Deep() {
  std::string text;
  for (int i = 0; i < 100000; ++i) {
    text += "a{";
  }
  return text;
}

const BadCase kBadCases[] = {
    {"UnknownField", "skip_layer: \"a\"",
     "q.cfg:1: skip_layer: expected one of the fields activation_offset, joint_quant, do_fusion, "
     "version, batch_num, common_config, skip_layers, skip_layer_types, skip_fusion_layers, "
     "override_layer_types, override_layer_configs, tensor_quantize; found another"},
    {"NotFollowed", "common_config {\n hfmg_quantize { }\n}",
     "q.cfg:2: hfmg_quantize: halftone follows arq_quantize and ifmr_quantize only; remove it"},
    {"Twice", "do_fusion: true\ndo_fusion: true",
     "q.cfg:2: do_fusion: it stands twice; keep one of them"},
    {"Boolean", "do_fusion: yes", "q.cfg:1: do_fusion: expected true or false, found 'yes'"},
    {"BooleanInQuotes", "do_fusion: \"true\"",
     "q.cfg:1: do_fusion: expected true or false, found 'true'"},
    {"BooleanIsMessage", "do_fusion { }",
     "q.cfg:1: do_fusion: expected true or false, found a message"},
    {"NameWithoutQuotes", "skip_layers: a",
     "q.cfg:1: skip_layers: expected a name in quotes, found 'a'"},
    {"EmptyName", "skip_layers: \"\"", "q.cfg:1: skip_layers: expected a name in quotes, found ''"},
    {"MessageIsScalar", "common_config: 1",
     "q.cfg:1: common_config: expected a message in braces, found '1'"},
    {"Number", "common_config { ifmr_quantize { max_percentile: 1.5 } }",
     "q.cfg:1: max_percentile: expected a number from 0.5 to 1, found '1.5'"},
    {"NumberAtItsBound", "common_config { ifmr_quantize { max_percentile: 0.5 } }",
     "q.cfg:1: max_percentile: expected a number above 0.5, at most 1, found '0.5'"},
    {"RangeOfFactors", "common_config { ifmr_quantize { search_range_start: 1.5 } }",
     "q.cfg:1: ifmr_quantize: expected search_range_start below search_range_end and a search_step "
     "of at most their difference, found 1.5, 1.3 and 0.01"},
    {"Step", "common_config { ifmr_quantize { search_step: 0.7 } }",
     "q.cfg:1: ifmr_quantize: expected search_range_start below search_range_end and a search_step "
     "of at most their difference, found 0.7, 1.3 and 0.7"},
    {"Bits", "common_config { arq_quantize { quant_bits: 4 } }",
     "q.cfg:1: quant_bits: expected a number from 8 to 8, found '4'"},
    {"OverrideWithoutName", "override_layer_configs { }",
     "q.cfg:1: override_layer_configs: expected the field layer_name, found none"},
    {"TensorWithoutName", "tensor_quantize { input_index: 1 }",
     "q.cfg:1: tensor_quantize: expected the field layer_name, found none"},
    {"NoColon", "do_fusion true", "q.cfg:1: expected ':' or '{' behind 'do_fusion', found 't'"},
    {"NoValue",
     "do_fusion:", "q.cfg:1: expected a value of 'do_fusion', found the end of the file"},
    {"NotClosed", "common_config {\n",
     "q.cfg:2: expected the name of a field, found the end of the file"},
    {"ClosedTwice", "}", "q.cfg:1: expected the name of a field, found '}'"},
    {"StringNotClosed", "skip_layers: \"a\n\"",
     "q.cfg:1: expected \" at the end of a string, found the end of the line"},
    {"Escape", "skip_layers: \"\\x\"",
     R"(q.cfg:1: expected \n, \t, \r, \", \' or \\ in a string, found '\x')"},
    {"Deep", Deep(), "q.cfg:1: expected at most 16 levels of nesting, found more"},
};

INSTANTIATE_TEST_SUITE_P(All, BadAmctConfigTest, ::testing::ValuesIn(kBadCases),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
