#include "src/target/installation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "src/base/file.h"
#include "src/target/ops_info_files.h"
#include "tests/support/digits_library.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::MakeDigitsLibrary;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFamily = "ascend310p";

// A folder with installations "a", "b", "c" (each with a folder opp) and one, "empty", without.
class InstallationTest : public ::testing::Test {
 protected:
  InstallationTest() {
    fs::remove_all(root_);
    for (const char* name : {"a", "b", "c"}) {
      MakeDigitsLibrary(root_ / name / "opp");
    }
    fs::create_directories(root_ / "empty/opp");
  }

  ~InstallationTest() override { fs::remove_all(root_); }

  [[nodiscard]] std::string At(const std::string& name) const { return (root_ / name).string(); }

  // Longer than what a message quotes of a line: a path is said whole.
  fs::path root_ =
      fs::path(::testing::TempDir()) / ("halftone_installation_" + std::string(100, 'x'));
};

TEST_F(InstallationTest, TheVariableOfTheCompilerIsFirst) {
  InstallationPlaces places{.opp_path = At("a/opp"),
                            .toolkit_home = At("b"),
                            .home_path = At("c"),
                            .folders = {root_ / "a"}};
  const auto found = [&] { return FindInstallation(places, kFamily); };
  EXPECT_EQ(found().opp, root_ / "a/opp");
  EXPECT_EQ(found().found_by, "ASCEND_OPP_PATH");
  places.opp_path.clear();
  EXPECT_EQ(found().opp, root_ / "b/opp");
  EXPECT_EQ(found().found_by, "ASCEND_TOOLKIT_HOME");
  places.toolkit_home.clear();
  EXPECT_EQ(found().opp, root_ / "c/opp");
  EXPECT_EQ(found().found_by, "ASCEND_HOME_PATH");
  places.home_path.clear();
  EXPECT_EQ(found().opp, root_ / "a/opp");
  EXPECT_EQ(found().found_by, "the default folder");
  places.folders = {root_ / "missing", root_ / "empty", root_ / "b", root_ / "c"};
  EXPECT_EQ(found().opp, root_ / "b/opp");
  places.folders.clear();
  EXPECT_THAT(found().opp.string() + found().problem, IsEmpty());
}

// A variable that is wrong is no reason to look elsewhere: the compiler does not, either.
TEST_F(InstallationTest, AVariableThatNamesNoLibraryIsSaid) {
  for (const auto& [path, family, reason] :
       {std::tuple{At("missing/opp"), kFamily, "there is no such folder"},
        std::tuple{At("a/opp/version.info"), kFamily, "there is no such folder"},
        std::tuple{At("empty/opp"), kFamily, "no operator library is below it"},
        std::tuple{At("a/opp"), "ascend950", "no aic-ascend950-ops-info.json is below it"}}) {
    const Installation found = FindInstallation(
        {.opp_path = path, .toolkit_home = At("b"), .home_path = {}, .folders = {root_ / "b"}},
        family);
    EXPECT_THAT(found.opp.string(), IsEmpty());
    EXPECT_THAT(found.problem, AllOf(HasSubstr("ASCEND_OPP_PATH names the folder '" + path + "'"),
                                     HasSubstr(reason)));
  }
}

// Environment variables of the compiler are those of whoever runs the tests.
TEST_F(InstallationTest, DefaultFoldersAreThoseOfTheInstaller) {
  const std::vector<fs::path> folders = PlacesOnThisMachine().folders;
  EXPECT_THAT(folders, Contains("/usr/local/Ascend/ascend-toolkit/latest"));
  EXPECT_THAT(folders, Contains("/usr/local/Ascend/cann"));
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0) {
    EXPECT_THAT(folders, Contains(fs::path(home) / "Ascend/ascend-toolkit/latest"));
  }
}

// opp/op_impl/built-in/... in place of opp/built-in/op_impl/...
TEST_F(InstallationTest, AnOlderLayoutIsFound) {
  const fs::path opp = root_ / "a/opp";
  fs::create_directories(opp / "op_impl");
  fs::rename(opp / "built-in/op_impl", opp / "op_impl/built-in");
  EXPECT_EQ(FindInstallation(
                {.opp_path = {}, .toolkit_home = At("a"), .home_path = {}, .folders = {}}, kFamily)
                .opp,
            opp);
}

TEST_F(InstallationTest, TheVersionIsThatOfItsFile) {
  const fs::path opp = root_ / "a/opp";
  EXPECT_EQ(InstallationVersion(opp), "");
  fs::create_directories(root_ / "a/compiler");
  WriteFileAtomically(root_ / "a/compiler/version.info", "Version=7.2.0.1\n");
  EXPECT_EQ(InstallationVersion(opp), "7.2.0.1");
  WriteFileAtomically(opp / "version.info",
                      "Version=7.7.0.1.238\r\nversion_dir = 8.1.RC1\r\nrequired=\"x=1\"\n");
  EXPECT_EQ(InstallationVersion(opp), "8.1.RC1");
  WriteFileAtomically(opp / "version.info", "no version here\n");
  EXPECT_EQ(InstallationVersion(opp), "7.2.0.1");
  WriteFileAtomically(opp / "version.info", std::string(1U << 20U, 'x'));  // not a version file
  EXPECT_EQ(InstallationVersion(opp), "7.2.0.1");
}

// tbe/kernel and tbe/impl of an installation hold tens of thousands of files.
TEST_F(InstallationTest, FoldersOfKernelsAreNotSearched) {
  const fs::path tbe = root_ / "a/opp/built-in/op_impl/ai_core/tbe";
  const std::string name = std::string(kFamily) + "/aic-ascend310p-ops-info.json";
  WriteFileAtomically(tbe / "kernel" / name, "not a library");
  WriteFileAtomically(tbe / "impl" / name, "not a library");
  EXPECT_EQ(FindOpsInfoFiles(root_ / "a/opp").size(), FindOpsInfoFiles(root_ / "b/opp").size());
  WriteFileAtomically(root_ / "a/opp/kernel" / name, "{}");  // elsewhere the name means nothing
  EXPECT_EQ(FindOpsInfoFiles(root_ / "a/opp").size(), FindOpsInfoFiles(root_ / "b/opp").size() + 1);
}

}  // namespace
}  // namespace halftone
