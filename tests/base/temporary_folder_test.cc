#include "src/base/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolderTest, GoesWithAllThatWasWritten) {
  fs::path path;
  {
    const TemporaryFolder folder("a test");
    path = folder.path();
    CreateFolder(path / "part");
    folder.Write("part/a.txt", "first and longer");
    folder.Write("part/a.txt", "second");
    EXPECT_EQ(ReadFile(path / "part/a.txt"), "second");
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolderTest, AFileThatCannotBeWrittenIsNamed) {
  const TemporaryFolder folder("a test");
  fs::create_symlink("/dev/null", folder.path() / "link");
  for (const char* name : {"missing/a.txt", "link"}) {
    try {
      folder.Write(name, "text");
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kIo);
      EXPECT_THAT(error.what(), ::testing::HasSubstr("cannot write '"));
      EXPECT_THAT(error.what(), ::testing::HasSubstr(name));
    }
  }
}

}  // namespace
}  // namespace halftone
