#include "src/base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "src/base/error.h"
#include "src/base/host_name.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FileTest : public ::testing::Test {
 protected:
  FileTest() { fs::remove_all(folder_); }

  ~FileTest() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::path(::testing::TempDir()) / "halftone_file_test";
};

TEST_F(FileTest, WritesCreatesFoldersAndReplaces) {
  const fs::path path = folder_ / "a" / "b.bin";
  const std::string content("zero \0 byte\r\n", 13);
  WriteFileAtomically(path, "first, and longer than the second");
  WriteFileAtomically(path, content);
  EXPECT_EQ(ReadFile(path), content);
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1)
      << "no partial file is left";
}

TEST_F(FileTest, EmptyFile) {
  WriteFileAtomically(folder_ / "empty", "");
  EXPECT_EQ(ReadFile(folder_ / "empty"), "");
}

TEST_F(FileTest, WhoseSizeIsNotKnownBefore) {
  // The system makes it when it is read and says that it has no bytes.
  const std::string maps = ReadFile("/proc/self/maps");
  EXPECT_GT(maps.size(), 4096U);
  EXPECT_THAT(maps, HasSubstr("[stack]"));
  EXPECT_EQ(maps.back(), '\n');
}

template <typename Body>
std::string IoErrorOf(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kIo);
    return error.what();
  }
  return "no error";
}

TEST_F(FileTest, ErrorsNameFileAndReason) {
  CreateFolder(folder_);
  const std::string folder = folder_.string();
  EXPECT_EQ(IoErrorOf([&] { ReadFile(folder_ / "no"); }),
            "cannot read '" + folder + "/no': No such file or directory");
  EXPECT_EQ(IoErrorOf([&] { ReadFile(folder_); }), "cannot read '" + folder + "': Is a directory");
  WriteFileAtomically(folder_ / "file", "x");
  EXPECT_THAT(IoErrorOf([&] { CreateFolder(folder_ / "file" / "below"); }),
              HasSubstr("cannot create the folder '" + folder + "/file/below'"));
  EXPECT_THAT(IoErrorOf([&] { WriteFileAtomically(folder_ / "file" / "below", "x"); }),
              HasSubstr("'" + folder + "/file"));
  EXPECT_EQ(IoErrorOf([&] { WriteFileAtomically(folder_, "x"); }),
            "cannot write '" + folder + "': Is a directory");
  EXPECT_FALSE(fs::exists(folder + ".partial-" + HostName() + "-" + std::to_string(::getpid())));
}

}  // namespace
}  // namespace halftone
