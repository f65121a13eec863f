#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/precision/resolve/modes.h"
#include "src/target/builtin_targets.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;
using ::testing::HasSubstr;

std::string FailureOf(const TargetOptions& options) {
  try {
    (void)LoadTarget(options);
    return "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
}

std::filesystem::path OppOf(const char* family) {
  return SourceDir() / "tests/data/ops_info/opp/built-in/op_impl/ai_core/tbe/config" / family;
}

TEST(LoadTarget, KnowsItsNames) {
  EXPECT_EQ(TargetNames().front(), "host");
  for (const std::string& name : TargetNames()) {
    EXPECT_EQ(LoadTarget({.soc_version = name}).name, name);
  }
  EXPECT_TRUE(LoadTarget(TargetOptions{}).is_host());
}

TEST(LoadTarget, UnknownNamesAreAnswered) {
  const std::string message = FailureOf({.soc_version = "Ascend910PremiumB"});
  EXPECT_THAT(message,
              HasSubstr("E10001: --soc_version has the value 'Ascend910PremiumB', which is none "
                        "of: host, Ascend310, "));
  for (const std::string& name : TargetNames()) {
    EXPECT_THAT(message, HasSubstr(name));
  }
  EXPECT_THAT(message,
              HasSubstr("; did you mean 'Ascend910PremiumA'?; a target of your own is the path "
                        "of its .ini file"));
  EXPECT_THAT(FailureOf({.soc_version = "ascend310p3"}), HasSubstr("did you mean 'Ascend310P3'?"));
}

TEST(LoadTarget, TrainingModesArePrecisionModes) {
  for (const std::string_view family : TargetFamilies()) {
    const std::string& mode = FindFamily(family)->spec.training_mode;
    EXPECT_TRUE(mode.empty() || FindPrecisionMode(mode) != nullptr) << family;
  }
}

TEST(LoadTarget, AFileOfYourOwn) {
  const TargetSpec target =
      LoadTarget({.soc_version = (SourceDir() / "examples/03_own_target.ini").string()});
  EXPECT_EQ(target.name, "my_card");
  EXPECT_EQ(target.family, "ascend310p");
  EXPECT_TRUE(target.has_bfloat16);
  EXPECT_EQ(target.overflow, OverflowArithmetic::kInfNan);
  EXPECT_EQ(target.ai_core.at("SoftmaxV2").policy, MixPolicy::kGray);
  EXPECT_EQ(target.ai_core.at("Conv2D").column_count(), 3U);
  EXPECT_EQ(target.ai_core.at("MyGelu").column_count(), 1U);
  EXPECT_FALSE(target.ai_core.contains("Mish"));
  EXPECT_TRUE(target.ai_core.at("Relu").impl_modes.contains(DType::kFloat16));
  ASSERT_EQ(target.roofline.size(), 1U);
  EXPECT_EQ(target.roofline[0].source, "my measurement");
}

TEST(LoadTarget, AFileThatIsNotThereOrNotRight) {
  EXPECT_THAT(FailureOf({.soc_version = "no/such.ini"}),
              HasSubstr("E10001: --soc_version=no/such.ini: "));
  EXPECT_THAT(FailureOf({.soc_version = SourceDir().string()}),
              HasSubstr("E10001: --soc_version="));
  const auto path = std::filesystem::path(::testing::TempDir()) / "wrong.ini";
  WriteFileAtomically(path, "[target]\nname = a\ntraining_mode = fast\n");
  EXPECT_THAT(FailureOf({.soc_version = path.string()}),
              HasSubstr("wrong.ini: training_mode: expected one of force_fp16, "));
  WriteFileAtomically(path, "[target]\nname = a\nbfloat16 = perhaps\n");
  EXPECT_EQ(FailureOf({.soc_version = path.string()}),
            "E10001: --soc_version=" + path.string() + ": " + path.string() +
                ":3: bfloat16: expected yes or no, found 'perhaps'");
}

TEST(LoadTarget, TheFamilyOfALibraryIsThatOfItsFileName) {
  const TargetSpec target = LoadTarget({.soc_version = "", .ops_info = OppOf("ascend310p")});
  EXPECT_EQ(target.family, "ascend310p");
  EXPECT_EQ(target.name, "ascend310p");
  EXPECT_FALSE(target.has_bfloat16);
  EXPECT_TRUE(target.ai_core.contains("ManyInputs"));
  EXPECT_EQ(target.notes.size(), 2U);

  const TargetSpec named =
      LoadTarget({.soc_version = "Ascend310P1", .ops_info = OppOf("ascend310p")});
  EXPECT_EQ(named.name, "Ascend310P1");
}

TEST(LoadTarget, LibrariesThatDoNotFit) {
  const auto opp = SourceDir() / "tests/data/ops_info/opp";
  EXPECT_EQ(FailureOf({.soc_version = "", .ops_info = opp}),
            "E10054: --soc_version is missing: --ops_info=" + opp.string() +
                " names several families, ascend310p, ascend910b; add --soc_version");
  EXPECT_THAT(FailureOf({.soc_version = "", .ops_info = opp / "built-in/op_impl/aicpu"}),
              HasSubstr("has no file name that says the family (aic-<family>-ops-info.json); add "
                        "--soc_version"));
  EXPECT_EQ(FailureOf({.soc_version = "Ascend910A", .ops_info = OppOf("ascend310p")}),
            "E10001: --ops_info=" + OppOf("ascend310p").string() +
                ": expected a library of ascend910 (--soc_version=Ascend910A), found ascend310p");
  EXPECT_THAT(FailureOf({.soc_version = "host", .ops_info = OppOf("ascend310p")}),
              HasSubstr("--soc_version=host this CPU; leave one of them out"));
  const auto path = std::filesystem::path(::testing::TempDir()) / "aic-ascend999-ops-info.json";
  WriteFileAtomically(path, "{}");
  EXPECT_THAT(FailureOf({.soc_version = "", .ops_info = path}),
              HasSubstr("names an unknown family, ascend999; add --soc_version"));
}

}  // namespace
}  // namespace halftone
