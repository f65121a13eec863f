#include "src/base/opened_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <string>

#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

class OpenedFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("halftone_opened_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (std::size_t i = 0; i < content_.size(); ++i) {
      content_[i] = static_cast<char>(i * 7);
    }
    WriteFileAtomically(file_ = folder_ / "data.bin", content_);
  }

  void TearDown() override { fs::remove_all(folder_); }

  std::string MessageOf(const fs::path& path) {
    try {
      const OpenedFile file(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kIo);
      const std::string message = error.what();
      const std::size_t at = message.find(folder_.string());
      return at == std::string::npos
                 ? message
                 : message.substr(0, at) + "@" + message.substr(at + folder_.string().size());
    }
    return "no error";
  }

  std::string content_ = std::string(20'000, '\0');
  fs::path folder_;
  fs::path file_;
};

TEST_F(OpenedFileTest, ReadsAndMapsAnyPart) {
  const OpenedFile file(file_);
  EXPECT_EQ(file.size_bytes(), 20'000);
  for (const std::int64_t offset : {0, 1, 64, 4095, 4096, 8191, 19'999}) {
    const std::int64_t size = std::min<std::int64_t>(9000, 20'000 - offset);
    const auto from = static_cast<std::size_t>(offset);
    const auto count = static_cast<std::size_t>(size);
    std::string read(count, '\0');
    file.Read(offset, std::as_writable_bytes(std::span(read)));
    EXPECT_EQ(read, content_.substr(from, count)) << offset;
    const auto mapped = file.Map(offset, size);
    ASSERT_NE(mapped, nullptr);
    EXPECT_EQ(std::memcmp(mapped.get(), content_.data() + from, count), 0) << offset;
    // A part at a multiple of 64 bytes is aligned as tensors are.
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapped.get()) % 64, from % 64);
  }
}

TEST_F(OpenedFileTest, MappingsOutliveTheFile) {
  std::shared_ptr<const std::byte[]> mapped;
  {
    const OpenedFile file(file_);
    mapped = file.Map(0, file.size_bytes());
  }
  // Replaced, as WriteFileAtomically() does, and removed: the old bytes stay.
  WriteFileAtomically(file_, "short");
  fs::remove(file_);
  EXPECT_EQ(std::memcmp(mapped.get(), content_.data(), content_.size()), 0);
}

TEST_F(OpenedFileTest, AFileThatBecameShorterIsAnError) {
  const OpenedFile file(file_);
  fs::resize_file(file_, 100);
  std::string read(200, '\0');
  try {
    file.Read(0, std::as_writable_bytes(std::span(read)));
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              "cannot read '" + file_.string() + "': it became shorter while it was read");
  }
}

TEST_F(OpenedFileTest, WhatIsNoRegularFileIsRefused) {
  fs::create_symlink(file_, folder_ / "link");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(MessageOf(folder_ / "none"), "cannot read '@/none': No such file or directory");
  EXPECT_EQ(MessageOf(folder_ / "link"), "cannot read '@/link': Too many levels of symbolic links");
  constexpr const char* kOther = "expected a regular file, found a folder, a pipe or a device";
  EXPECT_EQ(MessageOf(folder_), std::string("cannot read '@': ") + kOther);
  EXPECT_EQ(MessageOf(folder_ / "pipe"), std::string("cannot read '@/pipe': ") + kOther);
  EXPECT_EQ(MessageOf("/dev/null"), std::string("cannot read '/dev/null': ") + kOther);
}

}  // namespace
}  // namespace halftone
