#include "src/base/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/host_name.h"
#include "tests/support/output_place.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::kPlaces;
using ::halftone::testing::OutputPlace;
using ::halftone::testing::PlaceKind;
using ::halftone::testing::PlaceRow;

// A folder of its own for each test.
class OutputFolder {
 public:
  OutputFolder() { fs::remove_all(path_); }

  ~OutputFolder() { fs::remove_all(path_); }

  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  static std::string Name() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "." + test->name();
    for (char& letter : name) {
      letter = letter == '/' ? '_' : letter;
    }
    return name;
  }

  fs::path path_ = fs::path(::testing::TempDir()) / ("halftone_" + Name());
};

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

// While it lives, descriptor 1 is a file.
class OutputIsAFile {
 public:
  explicit OutputIsAFile(const fs::path& file) : before_(::dup(STDOUT_FILENO)) {
    const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ::dup2(opened, STDOUT_FILENO);
    ::close(opened);
  }

  ~OutputIsAFile() {
    ::dup2(before_, STDOUT_FILENO);
    ::close(before_);
  }

  OutputIsAFile(const OutputIsAFile&) = delete;
  OutputIsAFile& operator=(const OutputIsAFile&) = delete;

 private:
  int before_;
};

class OutputFileTest : public ::testing::TestWithParam<PlaceRow> {
 protected:
  OutputFolder folder_;
  fs::path path_ = folder_.path() / "below" / "file";
};

TEST_P(OutputFileTest, WritesIntoWhatIsThere) {
  OutputPlace place(GetParam().kind, path_);
  if (!place.obstacle().empty()) {
    GTEST_SKIP() << place.obstacle();
  }
  const fs::path out = folder_.path() / "out";
  std::string error = "no error";
  {
    const OutputIsAFile redirected(out);
    ASSERT_EQ(::write(STDOUT_FILENO, "before ", 7), 7);
    error = IoErrorOf([&] {
      OutputFile file(path_);
      file.Write("one ");
      file.Write("");
      file.Write("two");
      file.Finish();
    });
    ASSERT_EQ(::write(STDOUT_FILENO, " after", 6), 6);
  }
  EXPECT_EQ(place.Damage(), "");
  switch (GetParam().kind) {
    case PlaceKind::kFolder:
      EXPECT_EQ(error, "cannot write '" + path_.string() + "': Is a directory");
      break;
    case PlaceKind::kSocket:
      EXPECT_EQ(error, "cannot write '" + path_.string() +
                           "': expected a file, a pipe or a device, found a socket");
      break;
    case PlaceKind::kLoop:
      EXPECT_EQ(error, "cannot write '" + path_.string() + "': Too many levels of symbolic links");
      break;
    case PlaceKind::kDevice:
      EXPECT_EQ(error, "no error");
      break;
    case PlaceKind::kOutput:
      EXPECT_EQ(error, "no error");
      EXPECT_EQ(ReadFile(out), "before one two after") << "in the order in which it was written";
      break;
    default:
      EXPECT_EQ(error, "no error");
      EXPECT_EQ(place.Content(), "one two");
  }
}

// A search of hours ends with a path that can be written, or does not begin.
TEST_P(OutputFileTest, CheckChangesNothingAndFindsWhatCannotBeWritten) {
  const OutputPlace place(GetParam().kind, path_);
  if (!place.obstacle().empty()) {
    GTEST_SKIP() << place.obstacle();
  }
  const std::string error = IoErrorOf([&] { OutputFile::Check(path_); });
  EXPECT_EQ(error == "no error", GetParam().is_written) << error;
  EXPECT_EQ(place.Damage(), "");
  EXPECT_EQ(fs::exists(fs::symlink_status(path_)), GetParam().kind != PlaceKind::kNothing);
  if (GetParam().kind == PlaceKind::kDanglingLink) {
    EXPECT_FALSE(fs::exists(path_));
  }
}

TEST_P(OutputFileTest, WithoutFinishAFileIsAsItWasBefore) {
  OutputPlace place(GetParam().kind, path_);
  if (!place.obstacle().empty()) {
    GTEST_SKIP() << place.obstacle();
  }
  const bool is_kept = GetParam().kind == PlaceKind::kFile || GetParam().kind == PlaceKind::kLink;
  const std::string before = is_kept ? place.Content() : "";
  if (GetParam().is_written && GetParam().kind != PlaceKind::kOutput) {
    OutputFile file(path_);
    file.Write("half of");
  }
  EXPECT_EQ(place.Damage(), "");
  if (is_kept) {
    EXPECT_EQ(place.Content(), before);
  } else if (GetParam().kind == PlaceKind::kNothing) {
    EXPECT_FALSE(fs::exists(path_));
  }
}

INSTANTIATE_TEST_SUITE_P(Places, OutputFileTest, ::testing::ValuesIn(kPlaces),
                         [](const auto& row) { return row.param.name; });

TEST(OutputFilePlacesTest, AFileKeepsItsPermissions) {
  const OutputFolder folder;
  const fs::path path = folder.path() / "file";
  WriteFileAtomically(path, "before");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  WriteFileAtomically(path, "after");
  EXPECT_EQ(fs::status(path).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  EXPECT_EQ(ReadFile(path), "after");
}

TEST(OutputFilePlacesTest, WithoutAFlushTheFileIsReplacedLikewise) {
  const OutputFolder folder;
  const fs::path path = folder.path() / "file";
  WriteFileAtomically(path, "before");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  OutputFile file(path);
  file.Write("after");
  EXPECT_EQ(ReadFile(path), "before");
  file.Finish(Flush::kNo);
  EXPECT_EQ(ReadFile(path), "after");
  EXPECT_EQ(fs::status(path).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1)
      << "nothing is left beside it";
}

// A link to a link, each relative to where it lies.
TEST(OutputFilePlacesTest, LinksAreFollowedToTheirEnd) {
  const OutputFolder folder;
  fs::create_directories(folder.path() / "a");
  fs::create_symlink("../b/second", folder.path() / "a" / "first");
  fs::create_directories(folder.path() / "b");
  fs::create_symlink("missing/file", folder.path() / "b" / "second");
  WriteFileAtomically(folder.path() / "a" / "first", "content");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "a" / "first"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "b" / "second"));
  EXPECT_EQ(ReadFile(folder.path() / "b" / "missing" / "file"), "content");
}

TEST(OutputFilePlacesTest, AFolderBehindADanglingLinkIsCreated) {
  const OutputFolder folder;
  fs::create_directories(folder.path());
  fs::create_symlink("target", folder.path() / "link");
  WriteFileAtomically(folder.path() / "link" / "file", "content");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(ReadFile(folder.path() / "target" / "file"), "content");
}

// What waits where we write beside the file: a link that somebody else put there to have us write
// what he may not.
TEST(OutputFilePlacesTest, NoLinkBesideTheFileIsFollowed) {
  const OutputFolder folder;
  const fs::path victim = folder.path() / "victim";
  const fs::path path = folder.path() / "file";
  WriteFileAtomically(victim, "untouched");
  fs::create_symlink(victim,
                     path.string() + ".partial-" + HostName() + "-" + std::to_string(::getpid()));
  WriteFileAtomically(path, "content");
  EXPECT_EQ(ReadFile(victim), "untouched");
  EXPECT_FALSE(fs::is_symlink(path));
  EXPECT_EQ(ReadFile(path), "content");
}

// The number of a process that has ended.
pid_t EndedProcess() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(0);
  }
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  return child;
}

TEST(OutputFilePlacesTest, WhatAKilledProcessLeftGoesWithTheNextWrite) {
  const OutputFolder folder;
  const fs::path path = folder.path() / "file";
  const std::string begin = path.string() + ".partial-" + HostName() + "-";
  const std::string ended = std::to_string(EndedProcess());
  const std::vector<std::string> kept = {
      begin + std::to_string(::getppid()),                      // is being written
      path.string() + ".partial-otherhost-" + ended,            // of a process that cannot be asked
      path.string() + "2.partial-" + HostName() + "-" + ended,  // of another file
      begin + ended + "x",                                      // a file of the user
      path.string() + ".partial-",
  };
  for (const std::string& name : kept) {
    WriteFileAtomically(name, "kept");
  }
  const std::string left = begin + ended;
  WriteFileAtomically(left, "left");
  fs::create_directory(begin + std::to_string(EndedProcess()));
  WriteFileAtomically(path, "content");
  EXPECT_FALSE(fs::exists(left));
  for (const std::string& name : kept) {
    EXPECT_EQ(ReadFile(name), "kept") << name;
  }
  EXPECT_EQ(ReadFile(path), "content");
}

TEST(OutputFilePlacesTest, AFifoWithoutAReaderDoesNotWaitWithoutEnd) {
  const OutputFolder folder;
  fs::create_directories(folder.path());
  const fs::path path = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(IoErrorOf([&] { const OutputFile file(path, 0); }),
            "cannot write '" + path.string() +
                "': it is a FIFO that nobody reads; start its reader first");
}

TEST(OutputFilePlacesTest, AReaderThatGoesAwayIsAClosedPipe) {
  std::signal(SIGPIPE, SIG_IGN);
  const OutputFolder folder;
  const fs::path path = folder.path() / "fifo";
  std::optional<OutputPlace> place(std::in_place, PlaceKind::kFifo, path);
  OutputFile file(path);
  place.reset();
  EXPECT_THROW(file.Write("x"), ClosedPipe);
  EXPECT_EQ(IoErrorOf([&] { file.Write("x"); }),
            "cannot write '" + path.string() + "': nobody reads it any more");
  std::signal(SIGPIPE, SIG_DFL);
}

// A full device of our own, never that of the machine.
TEST(OutputFilePlacesTest, AFullDeviceIsAnError) {
  const OutputFolder folder;
  fs::create_directories(folder.path());
  const fs::path path = folder.path() / "full";
  if (::mknod(path.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0 ||
      ::access(path.c_str(), W_OK) != 0) {
    GTEST_SKIP() << "no device can be made";
  }
  EXPECT_EQ(IoErrorOf([&] { WriteFileAtomically(path, "x"); }),
            "cannot write '" + path.string() + "': No space left on device");
  EXPECT_TRUE(fs::is_character_file(path));
}

TEST(OutputFilePlacesTest, ADescriptorThatIsNotOpenIsAnError) {
  EXPECT_EQ(IoErrorOf([] { WriteFileAtomically("/proc/self/fd/1000", "x"); }),
            "cannot write '/proc/self/fd/1000': No such file or directory");
}

// Reading has the same places: what is no regular file may be endless, or wait without end.
TEST(OutputFilePlacesTest, WhatIsNoRegularFileIsNotRead) {
  const OutputFolder folder;
  for (const PlaceKind kind : {PlaceKind::kFifo, PlaceKind::kSocket}) {
    const fs::path path = folder.path() / std::to_string(static_cast<int>(kind));
    const OutputPlace place(kind, path);
    for (const auto& read : {+[](const fs::path& file) { return ReadFile(file); },
                             +[](const fs::path& file) { return ReadSmallFile(file, 100); }}) {
      EXPECT_EQ(
          IoErrorOf([&] { read(path); }),
          "cannot read '" + path.string() + "': expected a regular file, found a pipe or a device");
    }
  }
}

}  // namespace
}  // namespace halftone
