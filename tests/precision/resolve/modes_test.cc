#include "src/precision/resolve/modes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;

TargetSpec Target(bool has_bfloat16 = true) {
  TargetSpec target;
  target.name = "test";
  target.has_bfloat16 = has_bfloat16;
  return target;
}

PrecisionOptions V1(const char* value) {
  PrecisionOptions options;
  options.precision_mode = value;
  return options;
}

PrecisionOptions V2(const char* value) {
  PrecisionOptions options;
  options.precision_mode_v2 = value;
  return options;
}

struct NameCase {
  const char* v1;  // a value of --precision_mode, or empty
  const char* v2;  // the value of --precision_mode_v2 that equals it, or empty
  const char* label;
  bool needs_bfloat16;
};

class ModeNames : public ::testing::TestWithParam<NameCase> {};

TEST_P(ModeNames, MeanTheSameMode) {
  const NameCase& names = GetParam();
  for (const PrecisionOptions& options : {V1(names.v1), V2(names.v2)}) {
    if (options == PrecisionOptions{}) {
      continue;
    }
    EXPECT_EQ(EffectiveMode(options, Target()).label(), names.label);
    if (!names.needs_bfloat16) {
      EXPECT_EQ(EffectiveMode(options, Target(false)).label(), names.label);
      continue;
    }
    try {
      EffectiveMode(options, Target(false));
      ADD_FAILURE() << "expected an error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), HasSubstr("current soc does not support BFloat16"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, ModeNames,
    ::testing::Values(
        NameCase{"force_fp16", "fp16", "force_fp16", false},
        NameCase{"force_fp32", "cube_fp16in_fp32out", "force_fp32", false},
        NameCase{"cube_fp16in_fp32out", "", "force_fp32", false},
        NameCase{"allow_fp32_to_fp16", "", "allow_fp32_to_fp16", false},
        NameCase{"must_keep_origin_dtype", "origin", "must_keep_origin_dtype", false},
        NameCase{"allow_mix_precision", "mixed_float16", "allow_mix_precision", false},
        NameCase{"allow_mix_precision_fp16", "", "allow_mix_precision", false},
        NameCase{"allow_mix_precision_bf16", "mixed_bfloat16", "allow_mix_precision_bf16", true},
        NameCase{"allow_fp32_to_bf16", "", "allow_fp32_to_bf16", true}),
    [](const auto& row) { return std::string(row.param.v1); });

TEST(Modes, DefaultIsForceFp16) {
  EXPECT_EQ(EffectiveMode({}, Target()).label(), "force_fp16");
}

TEST(Modes, ListsAllValues) {
  EXPECT_EQ(PrecisionModeNames(),
            "force_fp16, force_fp32, cube_fp16in_fp32out, allow_fp32_to_fp16, "
            "must_keep_origin_dtype, allow_mix_precision, allow_mix_precision_fp16, "
            "allow_mix_precision_bf16, allow_fp32_to_bf16");
  EXPECT_EQ(PrecisionModeV2Names(),
            "fp16, cube_fp16in_fp32out, origin, mixed_float16, mixed_bfloat16, cube_hif8, "
            "mixed_hif8");
}

struct BadCase {
  const char* name;
  PrecisionOptions options;
  ErrorKind kind;
  const char* message;
};

PrecisionOptions Both() {
  PrecisionOptions options = V1("force_fp16");
  options.precision_mode_v2 = "fp16";
  return options;
}

PrecisionOptions Training(const char* mode, const char* run_mode) {
  PrecisionOptions options = V1(mode);
  options.graph_run_mode = run_mode;
  return options;
}

TEST(Modes, Hif8IsUnsupportedWhereItExists) {
  TargetSpec target = Target();
  target.has_hifloat8 = true;
  try {
    EffectiveMode(V2("mixed_hif8"), target);
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(),
                HasSubstr("--precision_mode_v2=mixed_hif8: there are no public column rules"));
  }
}

TEST(Modes, TrainingHasTheDefaultOfTheTarget) {
  TargetSpec target = Target();
  EXPECT_EQ(EffectiveMode(Training("", "1"), target).label(), "must_keep_origin_dtype");
  target.training_mode = "allow_fp32_to_fp16";
  EXPECT_EQ(EffectiveMode(Training("", "1"), target).label(), "allow_fp32_to_fp16");
  EXPECT_EQ(EffectiveMode(Training("", "0"), target).label(), "force_fp16");
  EXPECT_EQ(EffectiveMode(Training("allow_mix_precision", "1"), target).label(),
            "allow_mix_precision");
  EXPECT_EQ(EffectiveMode(Training("force_fp16", "1"), target).label(), "force_fp16");
}

class BadModes : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadModes, AreRefusedBySentence) {
  try {
    EffectiveMode(GetParam().options, Target());
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), GetParam().kind);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadModes,
    ::testing::Values(
        BadCase{"Both", Both(), ErrorKind::kUsage,
                "E10056: --precision_mode=force_fp16 and --precision_mode_v2=fp16 exclude each "
                "other"},
        BadCase{"UnknownV1", V1("force_fp17"), ErrorKind::kUsage,
                "E10001: --precision_mode has the value 'force_fp17', which is none of: "
                "force_fp16, "},
        BadCase{"UnknownV1Hint", V1("force_fp17"), ErrorKind::kUsage, "did you mean force_fp16?"},
        BadCase{"UnknownV2", V2("float16"), ErrorKind::kUsage,
                "E10001: --precision_mode_v2 has the value 'float16', which is none of: fp16, "},
        BadCase{"CaseMatters", V1("Force_fp16"), ErrorKind::kUsage, "E10001"},
        BadCase{"EngineName", V1("force_lowerprecision"), ErrorKind::kUsage, "E10001"},
        BadCase{"EngineName2", V1("allow_fp32_to_lowprecision"), ErrorKind::kUsage, "E10001"},
        BadCase{"V2NameInV1", V1("mixed_float16"), ErrorKind::kUsage,
                "it is a value of --precision_mode_v2"},
        BadCase{"V1NameInV2", V2("force_fp16"), ErrorKind::kUsage,
                "it is a value of --precision_mode"},
        BadCase{"CubeHif8", V2("cube_hif8"), ErrorKind::kUsage,
                "--precision_mode_v2=cube_hif8: current soc does not support HiFloat8 (soc_version "
                "test), and there are no public column rules for it"},
        BadCase{"MixedHif8", V2("mixed_hif8"), ErrorKind::kUsage, "does not support HiFloat8"},
        BadCase{"RunModeTwo", Training("", "2"), ErrorKind::kUsage,
                "E10001: --graph_run_mode has the value '2', which is neither 0 (inference) nor 1 "
                "(training)"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
