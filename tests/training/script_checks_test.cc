// Warnings that depend on the mode that is in effect and on the model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/training/script.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using testing::GraphBuilder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// x -> Relu, with `casts` casts to float16 and back before it.
Graph Network(int casts) {
  GraphBuilder builder;
  ValueId x = builder.Input("x", {1, 4});
  for (int i = 0; i < casts; ++i) {
    const std::string name = "cast" + std::to_string(i);
    Attributes to_half;
    to_half.Set("to", static_cast<std::int64_t>(10));  // FLOAT16 in ONNX
    x = builder.Add(OpKind::kCast, name, {x}, to_half);
    Attributes to_float;
    to_float.Set("to", static_cast<std::int64_t>(1));
    x = builder.Add(OpKind::kCast, name + "/back", {x}, to_float);
  }
  return builder.Finish({builder.Add(OpKind::kRelu, "relu", {x})});
}

TargetSpec Target() {
  TargetSpec target;
  target.name = "trainer";
  target.has_bfloat16 = true;
  target.training_mode = "must_keep_origin_dtype";
  return target;
}

std::vector<std::string> Check(PrecisionOptions options, bool loss_scaling, int casts = 0) {
  TrainingScript script;
  if (loss_scaling) {
    script.loss_scaling = LossScaling{.scale = 8};
  }
  if (options.graph_run_mode.empty()) {
    options.graph_run_mode = "1";
  }
  return CheckTrainingScript(script, Network(casts), options, Target());
}

constexpr const char* kNoScaling =
    "allow_mix_precision without a loss_scale_manager: small gradients become zero in float16; set "
    "up loss scaling";

TEST(TrainingScriptChecksTest, LossScalingFollowsTheMode) {
  EXPECT_THAT(Check({.precision_mode = "allow_mix_precision"}, false), ElementsAre(kNoScaling));
  EXPECT_THAT(Check({.precision_mode_v2 = "mixed_float16"}, false), ElementsAre(kNoScaling));
  EXPECT_THAT(Check({.precision_mode = "allow_mix_precision"}, true), IsEmpty());
  EXPECT_THAT(Check({.precision_mode = "allow_mix_precision", .graph_run_mode = "0"}, false),
              IsEmpty())
      << "inference has no gradients";
  EXPECT_THAT(Check({.precision_mode_v2 = "mixed_bfloat16"}, false), IsEmpty());
  EXPECT_THAT(Check({.precision_mode_v2 = "mixed_bfloat16"}, true),
              ElementsAre("allow_mix_precision_bf16 with a loss_scale_manager: bfloat16 has the "
                          "range of float32, so loss scaling is normally not needed"));
  EXPECT_THAT(Check({}, false), IsEmpty()) << "the target's own mode for training";
}

TEST(TrainingScriptChecksTest, CastsByHandAreNamed) {
  EXPECT_THAT(Check({.precision_mode = "allow_mix_precision"}, true, 2),
              ElementsAre("the model is already cast by hand (cast0, cast1): it does not need "
                          "allow_mix_precision on top; use must_keep_origin_dtype, or take the "
                          "casts out"));
  EXPECT_THAT(Check({.precision_mode = "allow_mix_precision"}, true, 12),
              ElementsAre(HasSubstr("cast9 and 2 more)")));
  EXPECT_THAT(Check({.precision_mode = "must_keep_origin_dtype"}, true, 2), IsEmpty());
}

TEST(TrainingScriptChecksTest, CustomDtypesLeaveWhereTheModeIgnoresThem) {
  PrecisionOptions options{.customize_dtypes = {{.target = "relu"}}, .graph_run_mode = "1"};
  EXPECT_THAT(CheckTrainingScript({}, Network(0), options, Target()),
              ElementsAre("customize_dtypes has no effect in training with "
                          "must_keep_origin_dtype: remove one of them"));
  EXPECT_TRUE(options.customize_dtypes.empty());
  options = {.precision_mode = "allow_fp32_to_fp16",
             .customize_dtypes = {{.target = "relu"}},
             .graph_run_mode = "1"};
  EXPECT_THAT(CheckTrainingScript({}, Network(0), options, Target()), IsEmpty());
  EXPECT_EQ(options.customize_dtypes.size(), 1U);
}

TEST(TrainingScriptChecksTest, ForceFp16IsAccepted) {
  EXPECT_THAT(Check({.precision_mode = "force_fp16"}, true), IsEmpty());
  EXPECT_THAT(Check({.precision_mode = "force_fp16", .graph_run_mode = "0"}, false), IsEmpty());
}

}  // namespace
}  // namespace halftone
