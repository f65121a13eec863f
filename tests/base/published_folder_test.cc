// Folders that appear complete or not at all.
#include "src/base/published_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class PublishedFolderTest : public ::testing::Test {
 protected:
  PublishedFolderTest() { fs::remove_all(folder_); }

  ~PublishedFolderTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::ptrdiff_t Entries() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_ = ::testing::TempDir() + "halftone_published_folder_test_" +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(PublishedFolderTest, AppearsWhenItIsPublished) {
  PublishedFolder folder(folder_ / "a" / "result/");
  WriteFileAtomically(folder.part() / "sub" / "file", "content");
  EXPECT_FALSE(fs::exists(folder_ / "a" / "result"));
  folder.Publish();
  EXPECT_EQ(ReadFile(folder_ / "a" / "result" / "sub" / "file"), "content");
  EXPECT_FALSE(fs::exists(folder.part()) && !folder.part().empty());
}

TEST_F(PublishedFolderTest, LeavesNothingWithoutPublishing) {
  {
    const PublishedFolder folder(folder_ / "result");
    WriteFileAtomically(folder.part() / "file", "content");
  }
  EXPECT_EQ(Entries(), 0);
}

TEST_F(PublishedFolderTest, WhoComesSecondDropsHisOwn) {
  PublishedFolder first(folder_ / "result");
  PublishedFolder second(folder_ / "result");
  WriteFileAtomically(first.part() / "file", "first");
  WriteFileAtomically(second.part() / "file", "second");
  first.Publish();
  try {
    second.Publish();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kIo);
    EXPECT_THAT(error.what(), HasSubstr("result' is there already: name a folder that is not"));
  }
  EXPECT_EQ(ReadFile(folder_ / "result" / "file"), "first");
  EXPECT_THROW(PublishedFolder(folder_ / "result"), Error);
}

}  // namespace
}  // namespace halftone
