#include "src/base/remove_below.h"

#include <gtest/gtest.h>

#include "src/base/file.h"
#include "src/base/temporary_folder.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// ours/ and theirs/ side by side, a file in each, and ours/out, a link to theirs.
class RemoveBelowTest : public ::testing::Test {
 protected:
  RemoveBelowTest() {
    WriteFileAtomically(ours_ / "sub/a", "a");
    WriteFileAtomically(theirs_ / "b", "b");
    fs::create_directory_symlink(theirs_, ours_ / "out");
    fs::create_symlink(theirs_ / "b", ours_ / "link");
  }

  TemporaryFolder folder_{"a test"};
  fs::path ours_ = folder_.path() / "ours";
  fs::path theirs_ = folder_.path() / "theirs";
};

TEST_F(RemoveBelowTest, FilesFoldersAndLinksOfTheFolderGo) {
  for (const char* name : {"sub/../sub/a", "sub", "link", "out"}) {
    EXPECT_TRUE(LiesBelow(ours_, ours_ / name)) << name;
    EXPECT_EQ(RemoveBelow(ours_, ours_ / name), std::error_code()) << name;
  }
  EXPECT_EQ(RemoveBelow(ours_, ours_ / "nothing/there"), std::error_code());
  EXPECT_TRUE(fs::is_empty(ours_));
  EXPECT_EQ(ReadFile(theirs_ / "b"), "b") << "behind the links";
}

TEST_F(RemoveBelowTest, NothingElseGoes) {
  for (const fs::path& path :
       {ours_ / "out/b", ours_ / "../theirs/b", ours_ / "sub/../../theirs", theirs_ / "b", theirs_,
        ours_, ours_ / ".", ours_ / "sub/..", ours_ / "..", folder_.path() / "ours2", fs::path()}) {
    EXPECT_FALSE(LiesBelow(ours_, path)) << path;
    EXPECT_EQ(RemoveBelow(ours_, path), std::errc::operation_not_permitted) << path;
    EXPECT_EQ(RemoveOneBelow(ours_, path), std::errc::operation_not_permitted) << path;
  }
  EXPECT_EQ(ReadFile(theirs_ / "b"), "b");
  EXPECT_EQ(ReadFile(ours_ / "sub/a"), "a");
}

TEST_F(RemoveBelowTest, AFolderThatIsALinkIsThatFolder) {
  fs::create_directory_symlink(ours_, folder_.path() / "to_ours");
  EXPECT_EQ(RemoveBelow(folder_.path() / "to_ours", ours_ / "sub/a"), std::error_code());
  EXPECT_FALSE(fs::exists(ours_ / "sub/a"));
}

TEST_F(RemoveBelowTest, OneFileOrEmptyFolder) {
  EXPECT_EQ(RemoveOneBelow(ours_, ours_ / "sub"), std::error_code());
  EXPECT_EQ(RemoveOneBelow(ours_, ours_ / "link"), std::error_code());
  EXPECT_TRUE(fs::is_symlink(ours_ / "link")) << "no plain file";
  EXPECT_EQ(RemoveOneBelow(ours_, ours_ / "sub/a"), std::error_code());
  EXPECT_TRUE(fs::exists(ours_ / "sub"));
  EXPECT_EQ(RemoveOneBelow(ours_, ours_ / "sub"), std::error_code());
  EXPECT_FALSE(fs::exists(ours_ / "sub"));
}

}  // namespace
}  // namespace halftone
