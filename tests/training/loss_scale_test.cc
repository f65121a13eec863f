#include "src/training/loss_scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

LossScaling Read(const std::string& text, std::vector<std::string>* warnings = nullptr) {
  std::vector<std::string> own;
  return ReadLossScaling(ParseSettings(text, "f"), "f", warnings != nullptr ? *warnings : own);
}

TEST(LossScaleTest, Fixed) {
  const LossScaling scaling = Read("{type: FixedLossScaleManager, loss_scale: 128}");
  EXPECT_EQ(scaling.kind, LossScaling::Kind::kFixed);
  EXPECT_EQ(scaling.scale, 128);
  EXPECT_FALSE(scaling.dynamic);
  EXPECT_TRUE(scaling.overflow_check);
  EXPECT_EQ(Read("{type: Fixed, loss_scale: 1.0, enable_overflow_check: True}").scale, 1);
}

TEST(LossScaleTest, ExponentialUpdate) {
  const LossScaling scaling = Read(
      "{type: ExponentialUpdate, init_loss_scale: 4294967296, incr_every_n_steps: 1000, "
      "decr_every_n_nan_or_inf: 2, incr_ratio: 2, decr_ratio: 0.5}");
  EXPECT_EQ(scaling.kind, LossScaling::Kind::kExponentialUpdate);
  EXPECT_EQ(scaling.scale, 4294967296.0);
  EXPECT_TRUE(scaling.dynamic);
}

TEST(LossScaleTest, Keras) {
  EXPECT_EQ(Read("{type: NpuLossScaleOptimizer}").scale, 32768);
  EXPECT_TRUE(Read("{type: Keras, initial_scale: None}").dynamic);
  const LossScaling fixed = Read("{type: Keras, dynamic: false, initial_scale: 64}");
  EXPECT_FALSE(fixed.dynamic);
  EXPECT_EQ(fixed.scale, 64);
}

struct WarningCase {
  const char* text;
  const char* warning;
};

TEST(LossScaleTest, Warnings) {
  const WarningCase cases[] = {
      {"{type: Fixed, loss_scale: 65504, enable_overflow_check: false}",
       "f:1: enable_overflow_check=false: steps whose gradients overflowed are applied too, not "
       "skipped"},
      {"{type: Fixed, loss_scale: 65505}",
       "f:1: FixedLossScaleManager: the fixed scale 65505 is above 65504, the largest float16: a "
       "gradient of 1 overflows, so every such step is skipped and the scale never falls"},
      {"{type: ExponentialUpdate, init_loss_scale: 1, incr_every_n_steps: 1, "
       "enable_overflow_check: false}",
       "f:1: enable_overflow_check has no effect: only FixedLossScaleManager has it, a dynamic "
       "scale always checks"},
      {"{type: Keras, dynamic: false, initial_scale: 2, dynamic_growth_steps: 5}",
       "f:1: dynamic_growth_steps has no effect with dynamic=false"},
  };
  for (const WarningCase& row : cases) {
    std::vector<std::string> warnings;
    Read(row.text, &warnings);
    EXPECT_THAT(warnings, ElementsAre(row.warning));
  }
  std::vector<std::string> warnings;
  Read("{type: Keras, initial_scale: 1e9}", &warnings);
  EXPECT_THAT(warnings, IsEmpty()) << "a dynamic scale falls by itself";
}

struct BadCase {
  const char* name;
  const char* text;
  const char* message;
};

class BadLossScaleTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadLossScaleTest, SaysWhere) {
  try {
    Read(GetParam().text);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

const BadCase kBad[] = {
    {"NoMap", "[]", "f:1: loss_scale_manager: expected a map with a type, found a list"},
    {"NoType", "{loss_scale: 1}",
     "f:1: loss_scale_manager: type is missing; expected FixedLossScaleManager (Fixed), "
     "ExponentialUpdateLossScaleManager (ExponentialUpdate) or NpuLossScaleOptimizer (Keras)"},
    {"UnknownType", "{type: Dynamic}",
     "f:1: loss_scale_manager: type 'Dynamic' is not known; expected FixedLossScaleManager "
     "(Fixed), ExponentialUpdateLossScaleManager (ExponentialUpdate) or NpuLossScaleOptimizer "
     "(Keras)"},
    {"UnknownArgument", "{type: Fixed, lossscale: 1}",
     "f:1: FixedLossScaleManager has no argument 'lossscale'; did you mean loss_scale?"},
    {"ForeignArgument", "{type: Fixed, incr_ratio: 1}",
     "f:1: FixedLossScaleManager has no argument 'incr_ratio'; it has loss_scale, "
     "enable_overflow_check"},
    {"FixedMissing", "{type: Fixed}", "f:1: FixedLossScaleManager: loss_scale is missing"},
    {"FixedBelowOne", "{type: Fixed, loss_scale: 0.5}",
     "f:1: FixedLossScaleManager: loss_scale=0.5: expected a value of at least 1"},
    {"FixedText", "{type: Fixed, loss_scale: '128'}",
     "f:1: FixedLossScaleManager: loss_scale: expected a number, found '128'"},
    {"FixedInfinite", "{type: Fixed, loss_scale: inf}",
     "f:1: FixedLossScaleManager: loss_scale: expected a number, found 'inf'"},
    {"CheckIsNumber", "{type: Fixed, loss_scale: 1, enable_overflow_check: 1}",
     "f:1: FixedLossScaleManager: enable_overflow_check: expected true or false, found '1'"},
    {"StepsMissing", "{type: ExponentialUpdate, init_loss_scale: 1}",
     "f:1: ExponentialUpdateLossScaleManager: incr_every_n_steps is missing"},
    {"InitBelowOne", "{type: ExponentialUpdate, init_loss_scale: 0, incr_every_n_steps: 1}",
     "f:1: ExponentialUpdateLossScaleManager: init_loss_scale=0: expected a value of at least 1"},
    {"StepsNegative", "{type: ExponentialUpdate, init_loss_scale: 1, incr_every_n_steps: -1}",
     "f:1: ExponentialUpdateLossScaleManager: incr_every_n_steps=-1: expected a value of at least "
     "0"},
    {"StepsFraction", "{type: ExponentialUpdate, init_loss_scale: 1, incr_every_n_steps: 1.5}",
     "f:1: ExponentialUpdateLossScaleManager: incr_every_n_steps: expected an integer, found "
     "'1.5'"},
    {"GrowsByOne",
     "{type: ExponentialUpdate, init_loss_scale: 1, incr_every_n_steps: 1, incr_ratio: 1}",
     "f:1: ExponentialUpdateLossScaleManager: incr_ratio=1: expected a value above 1"},
    {"FallsByOne",
     "{type: ExponentialUpdate, init_loss_scale: 1, incr_every_n_steps: 1, decr_ratio: 1}",
     "f:1: ExponentialUpdateLossScaleManager: decr_ratio=1: expected a value above 0 and below 1"},
    {"FallsToNothing",
     "{type: ExponentialUpdate, init_loss_scale: 1, incr_every_n_steps: 1, decr_ratio: 0}",
     "f:1: ExponentialUpdateLossScaleManager: decr_ratio=0: expected a value above 0 and below 1"},
    {"KerasWithoutScale", "{type: Keras, dynamic: false}",
     "f:1: NpuLossScaleOptimizer: dynamic=false needs an initial_scale"},
    {"KerasStepsZero", "{type: Keras, dynamic_growth_steps: 0}",
     "f:1: NpuLossScaleOptimizer: dynamic_growth_steps=0: expected a value of at least 1"},
    {"ArgumentIsMap", "{type: Keras, initial_scale: {}}",
     "f:1: NpuLossScaleOptimizer: initial_scale: expected a number, found a map"},
};

INSTANTIATE_TEST_SUITE_P(Managers, BadLossScaleTest, ::testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
