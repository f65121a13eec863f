// The ini files of an installation's folder impl_mode.
#include "src/target/impl_mode_ini.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/file.h"
#include "src/target/builtin_targets.h"
#include "src/target/ops_info_files.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr ImplMode kFast = ImplMode::kHighPerformance;
constexpr ImplMode kExact = ImplMode::kHighPrecision;
constexpr ImplMode kFloat32 = ImplMode::kEnableFloat32Execution;

TEST(ImplModeIni, HasTypesAndTheirModes) {
  std::vector<std::string> notes;
  const OfferedModes modes = ParseImplModeIni(
      "# all\r\n\r\nSoftmaxV2=high_performance,high_precision\r\n Gelu = high_precision \nnothing\n"
      "Gelu=high_performance\n[Section]\n",
      "all.ini", notes);
  EXPECT_THAT(modes, ElementsAre(Pair("Gelu", ElementsAre(kExact)),
                                 Pair("SoftmaxV2", ElementsAre(kFast, kExact))));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(ImplModeIni, UnknownModesAreNoted) {
  std::vector<std::string> notes;
  EXPECT_THAT(ParseImplModeIni("A=fast,high_precision\nB=default\n", "all.ini", notes),
              ElementsAre(Pair("A", ElementsAre(kExact))));
  EXPECT_THAT(notes, ElementsAre("all.ini: 2 words skipped that are no implementation mode known "
                                 "here, first 'fast' in line 1"));
}

struct NameCase {
  const char* file;
  const char* name;
};

TEST(ImplModeIni, NamesAreThoseOfAnInstallation) {
  for (const NameCase& row :
       {NameCase{"all_ops_impl_mode.ini", "all_ops_impl_mode"},
        NameCase{"high_precision_for_all.ini", "high_precision_for_all"},
        NameCase{"allow_hf32_matmul_t_conv_f.ini", "allow_hf32_matmul_t_conv_f"},
        NameCase{"mine.ini", ""}, NameCase{"high_precision", ""}}) {
    EXPECT_EQ(ImplModeFileName(row.file), row.name);
  }
}

// A folder impl_mode with these files.
std::filesystem::path Installation(const std::map<std::string, std::string>& files) {
  const std::filesystem::path root = ::testing::TempDir() + "halftone_impl_mode_opp";
  std::filesystem::remove_all(root);
  const std::filesystem::path folder = root / "built-in/op_impl/ai_core/tbe/impl_mode";
  CreateFolder(folder);
  for (const auto& [name, text] : files) {
    WriteFileAtomically(folder / name, text);
  }
  WriteFileAtomically(root / "high_performance.ini", "Elsewhere=high_precision\n");
  return root;
}

TargetSpec TargetWith(const std::map<std::string, std::string>& files) {
  const TargetFile& family = *FindFamily("ascend310p");
  return WithOpsInfo(family.ForSoc("Ascend310P3"), family, FindOpsInfoFiles(Installation(files)));
}

TEST(ImplModeFilesOfAnInstallation, ComeWithOpsInfo) {
  const TargetSpec target =
      TargetWith({{"high_performance.ini", "Relu=high_precision\n"},
                  {"allow_hf32_matmul_f_conv_f.ini", "Conv2D=enable_float_32_execution\n"}});
  EXPECT_THAT(target.impl_mode_files,
              ElementsAre(Pair("allow_hf32_matmul_f_conv_f", ElementsAre(Pair("Conv2D", kFloat32))),
                          Pair("high_performance", ElementsAre(Pair("Relu", kExact)))));
  EXPECT_THAT(target.ai_core.at("SoftmaxV2").impl_modes,
              ElementsAre(Pair(DType::kFloat16, ElementsAre(kFast, kExact))));
  EXPECT_THAT(target.notes,
              ElementsAre("AI Core library: the built-in one, --ops_info brings none",
                          "AI CPU library: the built-in one, --ops_info brings none",
                          "implementation modes: of 2 files of impl_mode; what operators offer is "
                          "the built-in list, without all_ops_impl_mode.ini"));
}

TEST(ImplModeFilesOfAnInstallation, AllOpsImplModeSaysWhatIsOffered) {
  const TargetSpec target =
      TargetWith({{"all_ops_impl_mode.ini",
                   "SoftmaxV2=high_precision,high_performance\n"
                   "Relu=high_precision,high_performance,keep_fp16,enable_float_32_execution\n"
                   "Exp=high_performance\n"}});
  // The default of ours stays the first; another dtype has the order of the file.
  EXPECT_THAT(target.ai_core.at("SoftmaxV2").impl_modes,
              UnorderedElementsAre(Pair(DType::kFloat16, ElementsAre(kFast, kExact)),
                                   Pair(DType::kFloat32, ElementsAre(kExact, kFast))));
  EXPECT_THAT(
      target.ai_core.at("Relu").impl_modes,
      UnorderedElementsAre(Pair(DType::kFloat16, ElementsAre(kExact, kFast, ImplMode::kKeepFp16)),
                           Pair(DType::kFloat32, ElementsAre(kExact, kFast, kFloat32))));
  EXPECT_THAT(target.ai_core.at("Exp").impl_modes, IsEmpty()) << "one implementation";
  EXPECT_THAT(target.ai_core.at("Gelu").impl_modes, IsEmpty()) << "not listed";
  EXPECT_THAT(target.notes.back(),
              "implementation modes: of 1 file of impl_mode, all_ops_impl_mode.ini says what "
              "operators offer");
}

}  // namespace
}  // namespace halftone
