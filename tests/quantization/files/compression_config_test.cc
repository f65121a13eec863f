#include "src/quantization/files/compression_config.h"

#include <gtest/gtest.h>

#include "src/base/error.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

CompressionConfig Example() {
  return {.first_layer = true,
          .calibration = {.input_data = {"./in0.bin", "in1.bin"},
                          .input_shapes = {{"in0", "16,3,224,224"}, {"scope/in:1", "16,8"}},
                          .config_file = "quant.cfg",
                          .infer_soc = "Ascend310P3",
                          .further = {{"infer_device_id", "0"}, {"log", "info"}}}};
}

TEST(CompressionConfigTest, Golden) {
  const std::string text = WriteCompressionConfig(Example());
  EXPECT_TRUE(testing::MatchesGolden(text, "quantization/compression_optimize.cfg"));
  EXPECT_EQ(ParseCompressionConfig(text, "f"), Example());
  EXPECT_EQ(WriteCompressionConfig({}), "");
  EXPECT_EQ(ParseCompressionConfig("", "f"), CompressionConfig{});
}

// As the guide of ATC prints it.
TEST(CompressionConfigTest, ReadsTheFormOfTheGuide) {
  const CompressionConfig config = ParseCompressionConfig(
      "enable_first_layer_quantization:true\r\ncalibration: \n{\n"
      "    input_data_dir: ./data.bin,d2.bin\n    input_shape: in:16,16;in1:16,16\n"
      "    config_file: simple_config.cfg\n    infer_soc: xxxxxx\n    infer_aicore_num: 10\n"
      "    infer_device_id: 0 \n    infer_ip: x.x.x.x\n    infer_port: 8000\n    log: info\n}\n",
      "f");
  EXPECT_TRUE(config.first_layer);
  EXPECT_EQ(config.calibration.input_data, (std::vector<std::string>{"./data.bin", "d2.bin"}));
  EXPECT_EQ(config.calibration.input_shapes.size(), 2U);
  EXPECT_EQ(config.calibration.further.size(), 5U);
}

TEST(CompressionConfigTest, WritesOnlyWhatReadsBack) {
  for (const char* file : {"a,b", "a\nb", " a", "", "a#b"}) {
    CompressionConfig config = Example();
    config.calibration.input_data[0] = file;
    EXPECT_THROW(WriteCompressionConfig(config), Error) << file;
  }
}

struct BadCase {
  const char* name;
  const char* text;
  const char* message;
};

class BadCompressionConfigTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadCompressionConfigTest, SaysWhere) {
  try {
    ParseCompressionConfig(GetParam().text, "c.cfg");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

const BadCase kBadCases[] = {
    {"Top", "log: info",
     "c.cfg:1: expected 'enable_first_layer_quantization: true', 'enable_first_layer_quantization: "
     "false' or 'calibration: {', found 'log: info'"},
    {"NoColon", "calibration {", "c.cfg:1: expected 'key: value', found 'calibration {'"},
    {"NoBrace", "calibration:\ninput_shape: a:1",
     "c.cfg:2: expected '{' behind 'calibration:', found 'input_shape: a:1'"},
    {"NotClosed", "calibration: {\ninfer_soc: a\n",
     "c.cfg:3: expected the block 'calibration: { ... }', found the end of the file"},
    {"UnknownKey", "calibration: {\ninfer: a\n}",
     "c.cfg:2: expected the keys input_data_dir, input_shape, config_file, infer_soc, "
     "infer_aicore_num, infer_device_id, infer_ip, infer_port, log; found 'infer'"},
    {"Twice", "calibration: {\nlog: a\nlog: b\n}", "c.cfg:3: 'log' stands twice; keep one of them"},
    {"NoValue", "calibration: {\nlog:\n}", "c.cfg:2: log: expected a value, found none"},
    {"EmptyFile", "calibration: {\ninput_data_dir: a,,b\n}",
     "c.cfg:2: input_data_dir: expected a file for each input, separated by commas; found 'a,,b'"},
    {"Shape", "calibration: {\ninput_shape: a:1;b\n}",
     "c.cfg:2: input_shape: expected 'name:1,3,224,224' for each input, separated by semicolons; "
     "found 'b'"},
    {"ShapeDynamic", "calibration: {\ninput_shape: a:-1,3\n}",
     "c.cfg:2: input_shape: expected 'name:1,3,224,224' for each input, separated by semicolons; "
     "found 'a:-1,3'"},
    {"NoSoc", "calibration: {\ninput_data_dir: a\ninput_shape: a:1\n}",
     "c.cfg:4: expected the key 'infer_soc' in the block, found none of this name"},
    {"Counts", "calibration: {\ninput_data_dir: a,b\ninput_shape: a:1\ninfer_soc: x\n}",
     "c.cfg:5: expected as many files as inputs, found 2 files and 1 input"},
};

INSTANTIATE_TEST_SUITE_P(All, BadCompressionConfigTest, ::testing::ValuesIn(kBadCases),
                         [](const auto& row) { return row.param.name; });

TEST(CompressionConfigTest, HighPrecisionRefusesCalibration) {
  EXPECT_EQ(RefusesCalibration({}), "");
  EXPECT_EQ(RefusesCalibration({.precision_mode = "allow_mix_precision"}), "");
  EXPECT_EQ(RefusesCalibration({.precision_mode_v2 = "fp16"}), "");
  EXPECT_EQ(RefusesCalibration({.precision_mode = "force_fp32"}),
            "ATC does not calibrate in high precision: --precision_mode=force_fp32");
  EXPECT_EQ(RefusesCalibration({.precision_mode = "must_keep_origin_dtype"}),
            "ATC does not calibrate in high precision: --precision_mode=must_keep_origin_dtype");
  EXPECT_EQ(RefusesCalibration({.precision_mode = "must_keep_origin_dtype", .has_float32 = false}),
            "");
  EXPECT_EQ(RefusesCalibration({.precision_mode_v2 = "origin"}),
            "ATC does not calibrate in high precision: --precision_mode_v2=origin");
  EXPECT_EQ(
      RefusesCalibration({.op_precision_mode =
                              "[ByOpType]\nConv2D=high_performance\nSoftmaxV2 = high_precision\n"}),
      "ATC does not calibrate in high precision: high_precision in --op_precision_mode");
  EXPECT_EQ(RefusesCalibration({.op_precision_mode = "#a=high_precision\nb=high_performance\n"}),
            "");
}

}  // namespace
}  // namespace halftone
