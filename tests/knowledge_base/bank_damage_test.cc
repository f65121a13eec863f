// Damaged files and full disks, exhaustively: slow. sqlite_store_test.cc has one case of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "knowledge_base/bank_export.h"
#include "knowledge_base/bank_records.h"
#include "knowledge_base/record_json.h"
#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/rng.h"
#include "tests/knowledge_base/bank_folder.h"
#include "tests/knowledge_base/edit_bank.h"
#include "tests/knowledge_base/sample_trials.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::BankFolder;
using ::testing::HasSubstr;
using testing::MeasuredTrial;

constexpr std::size_t kPageBytes = 4096;

class BankDamageTest : public ::testing::Test {
 protected:
  BankDamageTest() {
    const auto store = OpenSqliteStore(database_, OpenMode::kReadWrite);
    const Hash128 key = store->AddWorkload(testing::SampleWorkload());
    for (std::uint64_t i = 0; i < 12; ++i) {
      store->AddTrial(key, MeasuredTrial(i));
    }
    store->AddTrial(key, testing::UnresolvedTrial());
    store->AddFront(testing::SampleFront(key, {MeasuredTrial(2), MeasuredTrial(1)}));
    store->AddSensitivity(key, {4, 4}, testing::SampleSensitivity());
    store->AddOperatorTimings(testing::SampleKernels(),
                              {{testing::SampleTiming(1), testing::SampleTiming(2)}});
    store->AddOperatorProfile(testing::SampleKernels(), testing::SampleProfile(2));
  }

  // What every reader sees, but for what no checksum covers: the times, on which depends which
  // trial is the newest, and the name of the network, which is for people.
  [[nodiscard]] std::vector<std::string> Content() const {
    std::vector<std::string> lines;
    ReadBank(database_, [&](const BankRecord& record) {
      std::string line = RecordToJson(record);
      for (const std::string field : {"\"recorded_at\":", "\"model_name\":"}) {
        if (const std::size_t at = line.find(field); at != line.npos) {
          line.erase(at, line.find(",\"", at) - at);
        }
      }
      lines.push_back(std::move(line));
    });
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  // The bank with other bytes is refused in one sentence, or reads as it did; it stays as it is.
  void ExpectRefusedOrEqual(const std::string& bytes, const std::vector<std::string>& expected,
                            const std::string& what) {
    std::ofstream(database_, std::ios::binary) << bytes;
    for (const char* beside : {"-wal", "-shm"}) {
      fs::remove(database_.string() + beside);
    }
    try {
      const std::vector<std::string> actual = Content();
      const auto other =
          std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end());
      EXPECT_TRUE(actual == expected)
          << what << " changed\n"
          << (other.first == expected.end() ? "" : *other.first) << "\nto\n"
          << (other.second == actual.end() ? "" : *other.second);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kDatabase) << what << ": " << error.what();
      const std::string text = error.what();
      EXPECT_THAT(text, HasSubstr("'" + database_.string() + "'")) << what;
      EXPECT_EQ(text.find('\n'), std::string::npos) << what << ": " << text;
      ++refused_;
    }
    EXPECT_TRUE(ReadFile(database_) == bytes) << what << " changed the file";
  }

  BankFolder folder_;
  fs::path database_ = folder_.database();
  int refused_ = 0;
};

// Pages behind the first of which more than half is in use.
std::vector<std::size_t> FullPages(const std::string& bytes) {
  std::vector<std::size_t> pages;
  for (std::size_t page = 1; page < bytes.size() / kPageBytes; ++page) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(page * kPageBytes);
    const auto zeros = std::count(begin, begin + static_cast<std::ptrdiff_t>(kPageBytes), '\0');
    if (zeros < static_cast<std::ptrdiff_t>(kPageBytes / 2)) {
      pages.push_back(page);
    }
  }
  return pages;
}

// Every byte of the page with the schema, and of another one: 4 ms each.
TEST_F(BankDamageTest, EveryFlippedByteIsRefusedOrChangesNothing) {
  const std::string whole = ReadFile(database_);
  const std::vector<std::string> expected = Content();
  ASSERT_EQ(whole.size() % kPageBytes, 0U);
  const std::vector<std::size_t> full = FullPages(whole);
  ASSERT_FALSE(full.empty());
  Rng rng(6);
  for (const std::size_t page : {std::size_t{0}, full[rng.Below(full.size())]}) {
    for (std::size_t at = page * kPageBytes; at < (page + 1) * kPageBytes; ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
      ExpectRefusedOrEqual(damaged, expected,
                           "bit " + std::to_string(at % 8) + " of byte " + std::to_string(at));
    }
  }
  EXPECT_GT(refused_, 1000) << "nothing was damaged";
}

TEST_F(BankDamageTest, AFileThatIsCutShortAtAnyPageOrWithinIsRefused) {
  const std::string whole = ReadFile(database_);
  const std::vector<std::string> expected = Content();
  int lengths = 0;
  for (std::size_t size = 1; size < whole.size(); size += 509) {
    ExpectRefusedOrEqual(whole.substr(0, size), expected, "cut to " + std::to_string(size));
    ++lengths;
  }
  EXPECT_EQ(refused_, lengths);
}

// Writes trials until that fails, in a process with a full disk; it reports over the exit code.
// 0: failed with a sentence that says so. The number of trials written goes to `committed`.
template <typename Prepare>
int FillInAProcess(const fs::path& database, int committed, Prepare&& prepare) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!prepare()) {
      ::_exit(77);
    }
    std::uint64_t i = 100;
    try {
      const auto store = OpenSqliteStore(database, OpenMode::kReadWrite);
      const Hash128 key = store->AddWorkload(testing::SampleWorkload());
      for (; i < 100000; ++i) {
        store->AddTrial(key, MeasuredTrial(i));
        if (::write(committed, "+", 1) != 1) {
          ::_exit(3);
        }
      }
      ::_exit(4);
    } catch (const Error& error) {
      const std::string text = error.what();
      ::dprintf(2, "%s\n", error.what());
      const bool says = error.kind() == ErrorKind::kDatabase &&
                        text.find("'" + database.string() + "'") != text.npos &&
                        text.find("everything stored so far is kept") != text.npos;
      ::_exit(says ? 0 : 2);
    }
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::size_t BytesIn(int pipe_end) {
  std::size_t count = 0;
  for (char byte = 0; ::read(pipe_end, &byte, 1) == 1;) {
    ++count;
  }
  return count;
}

TEST_F(BankDamageTest, AFileSizeLimitLosesNothingThatWasStored) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int code = FillInAProcess(database_, ends[1], [&] {
    ::signal(SIGXFSZ, SIG_IGN);  // the write fails in place of the process
    const rlimit limit{.rlim_cur = 400'000, .rlim_max = 400'000};
    return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
  });
  ::close(ends[1]);
  EXPECT_EQ(code, 0);
  const std::size_t committed = BytesIn(ends[0]);
  EXPECT_GT(committed, 5U);
  EXPECT_THAT(VerifyBank(database_).findings, ::testing::IsEmpty());
  const auto store = OpenSqliteStore(database_, OpenMode::kReadWrite);
  const Hash128 key = KeyOf(testing::SampleWorkload());
  EXPECT_EQ(store->Trials(key).size(), 13 + committed);
  store->AddTrial(key, MeasuredTrial(99999));
  EXPECT_EQ(store->Trials(key).size(), 14 + committed) << "it goes on";
}

// A file system of 640 kB, in a namespace of its own: an empty bank and its log take half of it.
TEST_F(BankDamageTest, AFullDiskLosesNothingThatWasStored) {
  const fs::path disk = folder_.path() / "disk";
  const fs::path saved = folder_.path() / "saved.db";
  fs::create_directories(disk);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", disk.c_str(), "tmpfs", 0, "size=640k") != 0) {
      ::_exit(77);
    }
    const int code = FillInAProcess(disk / "halftone.db", ends[1], [] { return true; });
    // What was stored, as the next process reads it from the full disk.
    std::error_code error;
    std::size_t stored = 0;
    try {
      const auto store = OpenSqliteStore(disk / "halftone.db", OpenMode::kReadOnly);
      stored = store->Trials(KeyOf(testing::SampleWorkload())).size();
      WriteFileAtomically(saved, std::to_string(stored));
    } catch (const Error& failure) {
      ::dprintf(2, "%s\n", failure.what());
      ::_exit(5);
    }
    ::_exit(code);
  }
  ::close(ends[1]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    GTEST_SKIP() << "SKIPPED: this user cannot mount a file system";
  }
  EXPECT_EQ(status, 0);
  const std::size_t committed = BytesIn(ends[0]);
  EXPECT_GT(committed, 5U);
  EXPECT_EQ(ReadFile(saved), std::to_string(committed));
}

}  // namespace
}  // namespace halftone
