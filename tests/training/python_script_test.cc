// Training scripts in Python: the guide's own, what counts as a literal, and what is refused.
#include "src/training/python_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/training/python_tokens.h"
#include "src/training/script.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// As the guide for Mixed Precision has them, line breaks lost.
constexpr const char* kEstimator =
    "from npu_bridge.estimator.npu.npu_config import NPURunConfig from npu_bridge.estimator import "
    "npu_ops npu_config=NPURunConfig( model_dir=FLAGS.model_dir, "
    "save_checkpoints_steps=FLAGS.save_checkpoints_steps, "
    "session_config=tf.ConfigProto(allow_soft_placement=True,log_device_placement=False), "
    "precision_mode=\"allow_mix_precision\" )";
constexpr const char* kSession =
    "import tensorflow as tf from npu_bridge.estimator import npu_ops from "
    "tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig config = tf.ConfigProto() "
    "custom_op = config.graph_options.rewrite_options.custom_optimizers.add() custom_op.name = "
    "\"NpuOptimizer\" custom_op.parameter_map[\"use_off_line\"].b = True "
    "custom_op.parameter_map[\"precision_mode\"].s = "
    "tf.compat.as_bytes(\"allow_mix_precision\") config.graph_options.rewrite_options.remapping = "
    "RewriterConfig.OFF # Disable remapping. with tf.Session(config=config) as sess: "
    "print(sess.run(cost))";

TrainingScript Parse(const std::string& text) {
  return ParseTrainingScript(text, "train.py");
}

TEST(PythonScriptTest, ThoseOfTheGuideAreRead) {
  for (const std::string text : {kEstimator, kSession}) {
    for (const char* file : {"train.py", "as pasted"}) {
      const TrainingScript script = ParseTrainingScript(text, file);
      EXPECT_EQ(script.arguments.precision_mode, "allow_mix_precision");
      EXPECT_EQ(script.arguments.graph_run_mode, "1");
      EXPECT_THAT(script.warnings, IsEmpty());
      EXPECT_THAT(script.notes, IsEmpty());
    }
  }
}

// The session's checks hold: without the switch that the guide sets it is refused.
TEST(PythonScriptTest, ASessionThatLeavesRemappingOnIsRefused) {
  std::string text = kSession;
  const std::string off = "RewriterConfig.OFF";
  text.replace(text.find(off), off.size(), "RewriterConfig.ON");
  EXPECT_THROW(Parse(text), Error);
}

TEST(PythonScriptTest, LinesAreThoseOfTheScript) {
  const TrainingScript script = Parse(
      "config = NPURunConfig(\n    graph_run_mode=0,\n    op_precision_mode='op.ini',\n"
      "    precision_mode_v2=\"origin\",  # precision_mode=\"force_fp16\"\n)\n");
  EXPECT_EQ(script.arguments.graph_run_mode, "0");
  EXPECT_EQ(script.arguments.op_precision_mode, "op.ini");
  EXPECT_EQ(script.arguments.precision_mode_v2, "origin");
  EXPECT_EQ(script.arguments.precision_mode, "");
  EXPECT_EQ(script.lines.at("op_precision_mode"), 3);
  EXPECT_EQ(script.lines.at("precision_mode_v2"), 4);
}

struct LiteralCase {
  const char* text;
  const char* value;
};

class PythonLiteral : public ::testing::TestWithParam<LiteralCase> {};

TEST_P(PythonLiteral, IsRead) {
  const std::string literal = GetParam().text;
  EXPECT_EQ(Parse("NPURunConfig(modify_mixlist=" + literal + ", precision_mode=None)")
                .arguments.modify_mixlist,
            GetParam().value)
      << literal;
  EXPECT_EQ(Parse("npu.global_options().modify_mixlist = " + literal + "\nrun()")
                .arguments.modify_mixlist,
            GetParam().value)
      << literal;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, PythonLiteral,
    ::testing::Values(LiteralCase{"'a.json'", "a.json"}, LiteralCase{"\"a.json\"", "a.json"},
                      LiteralCase{"b'a.json'", "a.json"}, LiteralCase{"r'a\\b'", "a\\b"},
                      LiteralCase{"'a' '.json'", "a.json"}, LiteralCase{"'it\\'s'", "it's"},
                      LiteralCase{"\"\"\"a.json\"\"\"", "a.json"},
                      LiteralCase{"'a.json'.encode()", "a.json"},
                      LiteralCase{"'a.json'.encode('utf-8')", "a.json"},
                      LiteralCase{"str('a.json')", "a.json"},
                      LiteralCase{"tf.compat.as_bytes(\"a.json\")", "a.json"},
                      LiteralCase{"bytes('a.json', 'utf-8')", "a.json"}, LiteralCase{"None", ""}));

struct RefusedCase {
  const char* name;
  const char* text;
  const char* message;
};

class RefusedPython : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedPython, SaysWhere) {
  try {
    Parse(GetParam().text);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, RefusedPython,
    ::testing::Values(
        RefusedCase{"AFlag", "a = 1\nNPURunConfig(precision_mode=FLAGS.mode)",
                    "train.py:2: precision_mode: expected a literal, found 'FLAGS.mode'; a script "
                    "is not executed: write the value in its place, or type --precision_mode"},
        RefusedCase{"AnExpression", "NPURunConfig(precision_mode='force_fp16' if x else None)",
                    "expected a literal"},
        RefusedCase{"ASum", "npu.global_options().precision_mode = 'force' + '_fp16'",
                    "expected a literal"},
        RefusedCase{"AFormat", "NPURunConfig(precision_mode=f'{mode}')", "expected a literal"},
        RefusedCase{"TwoValues",
                    "NPURunConfig(precision_mode='force_fp16')\n"
                    "NPURunConfig(precision_mode='allow_mix_precision')",
                    "train.py:2: precision_mode has another value in line 1"},
        RefusedCase{"TwoForms",
                    "NPURunConfig()\nnpu.global_options().precision_mode = 'force_fp16'",
                    "are different kinds of script"},
        RefusedCase{"NoForm", "print('NPURunConfig(')", "found none of them"},
        RefusedCase{"AnotherField",
                    "parameter_map['use_off_line'].b = True\nparameter_map['precision_mode'].i = 3",
                    "precision_mode: expected a text (s), found the field 'i'"}),
    [](const auto& row) { return row.param.name; });

TEST(PythonScriptTest, WhatDecidesNothingMayBeAnything) {
  const TrainingScript script = Parse(
      "NPURunConfig(work_path=FLAGS.out, batch=[1, {'precision_mode': 'x'}], precison_mode='f',\n"
      "  precision_mode='force_fp16')\nNPURunConfig(precision_mode='force_fp16')");
  EXPECT_EQ(script.arguments.precision_mode, "force_fp16");
  EXPECT_THAT(script.notes, IsEmpty());
  EXPECT_THAT(script.warnings,
              ElementsAre("train.py:1: the parameter 'precison_mode' is not known here and has no "
                          "effect; did you mean precision_mode?"));
}

// Settings in YAML stay settings, comments with Python in them included.
TEST(PythonScriptTest, SettingsAreNoScript) {
  const std::string yaml =
      "# NPURunConfig(precision_mode='force_fp32')\nNPURunConfig: {precision_mode: force_fp16}\n";
  EXPECT_FALSE(IsPythonScript(yaml, "settings.yaml"));
  EXPECT_EQ(ParseTrainingScript(yaml, "settings.yaml").arguments.precision_mode, "force_fp16");
}

TEST(PythonTokens, EndWithAnyText) {
  for (const std::string text :
       {"", "'", "\"\"\"", "a'b", "\\", "f'", "1e", "parameter_map['a'].s ="}) {
    EXPECT_EQ(PythonTokensOf(text).back().kind, PythonToken::Kind::kEnd) << text;
  }
}

}  // namespace
}  // namespace halftone
