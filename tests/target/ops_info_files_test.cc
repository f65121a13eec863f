#include "src/target/ops_info_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/target/builtin_targets.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;
using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::UnorderedElementsAre;

std::filesystem::path Opp() {
  return SourceDir() / "tests/data/ops_info/opp";
}

TEST(OpsInfoFiles, FoldersAreSearchedForTheKnownNames) {
  std::vector<std::string> found;
  for (const OpsInfoFile& file : FindOpsInfoFiles(Opp())) {
    found.push_back(file.path.lexically_relative(Opp()).string());
  }
  EXPECT_THAT(
      found,
      ElementsAre(
          "built-in/op_impl/ai_core/tbe/config/ascend310p/aic-ascend310p-ops-info.json",
          "built-in/op_impl/ai_core/tbe/config/ascend910b/aic-ascend910b-ops-info.json",
          "built-in/op_impl/aicpu/aicpu_kernel/config/aicpu_kernel.json",
          "built-in/op_impl/aicpu/tf_kernel/config/tf_kernel.json",
          "built-in/op_impl/ai_core/tbe/config/ascend310p/aic-ascend310p-ops-info-Relu.json",
          "vendors/zenith/op_impl/ai_core/tbe/config/ascend310p/aic-ascend310p-ops-info.json",
          "vendors/acme/op_impl/ai_core/tbe/config/ascend310p/aic-ascend310p-ops-info.json"));
  EXPECT_THAT(FamiliesOf(FindOpsInfoFiles(Opp())), ElementsAre("ascend310p", "ascend910b"));
}

TEST(OpsInfoFiles, LaterFilesReplaceTypesOfEarlierOnes) {
  const TargetFile& family = *FindFamily("ascend310p");
  const TargetSpec target =
      WithOpsInfo(family.ForSoc("Ascend310P3"), family, FindOpsInfoFiles(Opp()));
  // Relu: the file of its own type wins over the main file, and that of another family is not read.
  EXPECT_THAT(target.ai_core.at("Relu").inputs,
              ElementsAre(ElementsAre(DType::kFloat16, DType::kFloat32, DType::kInt8)));
  EXPECT_EQ(target.ai_core.at("Relu").policy, MixPolicy::kWhite);
  // Vendors win over built-in, the alphabetically first vendor over the others.
  EXPECT_THAT(target.ai_core.at("SoftmaxV2").inputs.at(0), ElementsAre(DType::kFloat32));
  EXPECT_THAT(target.ai_core.at("Sigmoid").inputs, ElementsAre(ElementsAre(DType::kFloat16)));
  EXPECT_FALSE(target.ai_core.contains("Exp"));  // the library replaces the built-in one as a whole
  EXPECT_THAT(target.ai_cpu, UnorderedElementsAre(Key("Add"), Key("ConcatV2")));
  EXPECT_THAT(target.tf_kernel, UnorderedElementsAre(Key("Erf")));
  EXPECT_EQ(target.name, "Ascend310P3");
  EXPECT_THAT(target.notes, ElementsAre("AI Core library: 12 types of 4 files",
                                        "AI CPU library: 2 types of 1 file",
                                        "TensorFlow kernel library: 1 types of 1 file"));
}

TEST(OpsInfoFiles, WhatTheFilesDoNotBringStays) {
  const TargetFile& family = *FindFamily("ascend310p");
  const auto files = FindOpsInfoFiles(Opp() / "built-in/op_impl/aicpu");
  const TargetSpec target = WithOpsInfo(family.ForSoc("Ascend310P3"), family, files);
  EXPECT_TRUE(target.ai_core.contains("Exp"));
  EXPECT_EQ(target.notes[0], "AI Core library: the built-in one, --ops_info brings none");
}

TEST(OpsInfoFiles, AFileByItselfIsReadWhateverItsName) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "mine.json";
  WriteFileAtomically(path,
                      R"({"Relu": {"input0": {"dtype": "int8"}, "output0": {"dtype": "int8"}}})");
  const auto files = FindOpsInfoFiles(path);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_TRUE(files[0].family.empty());
  const TargetFile& family = *FindFamily("ascend910b");
  const TargetSpec target = WithOpsInfo(family.ForSoc("Ascend910B1"), family, files);
  EXPECT_THAT(target.ai_core, UnorderedElementsAre(Key("Relu")));
}

// No installation has a type Attention; one that has its parts runs what passes make of them.
TEST(OpsInfoFiles, FusedTypesStayWhereTheirPartsAre) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "parts.json";
  const std::string one = R"({"input0": {"dtype": "float16"}, "output0": {"dtype": "float16"}})";
  const std::string two = R"({"input0": {"dtype": "float16"}, "input1": {"dtype": "float16"}, )"
                          R"("output0": {"dtype": "float16"}})";
  WriteFileAtomically(path, R"({"SoftmaxV2": )" + one + R"(, "BatchMatMulV2": )" + two +
                                R"(, "Add": )" + two + "}");
  const TargetFile& family = *FindFamily("ascend910b");
  const TargetSpec target =
      WithOpsInfo(family.ForSoc("Ascend910B1"), family, FindOpsInfoFiles(path));
  EXPECT_THAT(target.ai_core, UnorderedElementsAre(Key("SoftmaxV2"), Key("BatchMatMulV2"),
                                                   Key("Add"), Key("Attention")));
}

TEST(OpsInfoFiles, NothingThereIsAnError) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "no_libraries";
  CreateFolder(folder);
  for (const auto& [path, message] :
       {std::pair{folder, "E10001: --ops_info=" + folder.string() +
                              ": expected aic-<soc>-ops-info.json, aicpu_kernel.json or "
                              "tf_kernel.json below this folder, found none"},
        std::pair{folder / "missing", "E10001: --ops_info=" + (folder / "missing").string() +
                                          ": no such file or folder"}}) {
    try {
      (void)FindOpsInfoFiles(path);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
}

}  // namespace
}  // namespace halftone
