// Reading a bank needs no room: not on a full disk, not below a file size limit, not in a folder
// that may not be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/prune_bank.h"
#include "knowledge_base/record_json.h"
#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/knowledge_base/bank_folder.h"
#include "tests/knowledge_base/ordinary_user.h"
#include "tests/knowledge_base/sample_trials.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::AsOrdinaryUser;
using testing::BankFolder;
using testing::MeasuredTrial;

// What a closed, a killed and a copied bank are: the log has the newest trials, the index is only
// needed to read it.
struct State {
  const char* name;
  bool log;
  bool index;
};

constexpr State kStates[] = {{"AtRest", false, false},
                             {"ALogAndItsIndex", true, true},
                             {"ALogWithoutItsIndex", true, false}};

// Every record, then what `bank verify` finds and what a dry run would remove.
std::string Everything(const fs::path& database) {
  std::string text;
  ReadBank(database, [&](const BankRecord& record) { text += RecordToJson(record) + "\n"; });
  for (const std::string& finding : VerifyBank(database).findings) {
    text += finding + "\n";
  }
  const PruneResult pruned = PruneBank(database, {.superseded = true, .dry_run = true});
  return text + std::to_string(pruned.trials) + " superseded\n";
}

class NoRoomTest : public ::testing::TestWithParam<State> {
 protected:
  // Copies of the files of a bank that is in use.
  NoRoomTest() {
    const fs::path used = folder_.path() / "used.db";
    const auto store = OpenSqliteStore(used, OpenMode::kReadWrite);
    const Hash128 key = store->AddWorkload(testing::SampleWorkload());
    for (std::uint64_t i = 0; i < 40; ++i) {
      store->AddTrial(key, MeasuredTrial(i % 30));
    }
    store->AddSensitivity(key, {4, 4}, testing::SampleSensitivity());
    expected_ = Everything(used);
    log_ = ReadFile(used.string() + "-wal");
    index_ = ReadFile(used.string() + "-shm");
    if (GetParam().log) {
      database_bytes_ = ReadFile(used);
      EXPECT_FALSE(log_.empty());
    }
  }

  void SetUp() override {
    if (!GetParam().log) {
      database_bytes_ = ReadFile(folder_.path() / "used.db");  // closed by now
    }
  }

  void PutFiles(const fs::path& database) const {
    WriteFileAtomically(database, database_bytes_);
    if (GetParam().log) {
      WriteFileAtomically(database.string() + "-wal", log_);
    }
    if (GetParam().index) {
      WriteFileAtomically(database.string() + "-shm", index_);
    }
  }

  // In a process of its own, which reports over its exit code: 77 where `prepare` cannot be done.
  template <typename Prepare>
  [[nodiscard]] int ReadInAProcess(const fs::path& database, Prepare&& prepare) const {
    const pid_t child = ::fork();
    if (child == 0) {
      if (!prepare()) {
        ::_exit(77);
      }
      try {
        const bool same = Everything(database) == expected_;
        ::_exit(same ? 0 : 1);
      } catch (const Error& error) {
        ::dprintf(2, "%s\n", error.what());
        ::_exit(2);
      }
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  BankFolder folder_;
  std::string expected_;
  std::string database_bytes_;
  std::string log_;
  std::string index_;
};

// "cannot be read or written (disk I/O error)": SQLite made the index of the log before it read.
TEST_P(NoRoomTest, AFileSizeLimitDoesNotKeepFromReading) {
  const fs::path database = folder_.database();
  PutFiles(database);
  EXPECT_EQ(ReadInAProcess(database,
                           [] {
                             ::signal(SIGXFSZ, SIG_IGN);  // the write fails in place of the process
                             const rlimit limit{.rlim_cur = 0, .rlim_max = 0};
                             return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
                           }),
            0);
  EXPECT_EQ(ReadFile(database), database_bytes_);
  EXPECT_EQ(Everything(database), expected_) << "where there is room again";
}

// A file system of its own in a namespace of its own, filled up to the last byte.
TEST_P(NoRoomTest, AFullDiskDoesNotKeepFromReading) {
  const fs::path disk = folder_.path() / "disk";
  fs::create_directories(disk);
  const fs::path database = disk / "halftone.db";
  const int code = ReadInAProcess(database, [&] {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", disk.c_str(), "tmpfs", 0, "size=2m") != 0) {
      return false;
    }
    PutFiles(database);
    std::ofstream rest(disk / "rest", std::ios::binary);
    const std::string page(4096, 'x');  // what tmpfs counts in
    while (rest.write(page.data(), 4096).flush()) {
    }
    return fs::space(disk).available == 0;
  });
  if (code == 77) {
    GTEST_SKIP() << "SKIPPED: this user cannot mount a file system";
  }
  EXPECT_EQ(code, 0);
}

TEST_P(NoRoomTest, AFolderThatMayNotBeWrittenDoesNotKeepFromReading) {
  const fs::path database = folder_.database();
  PutFiles(database);
  const fs::path folder = database.parent_path();
  for (const auto& entry : fs::directory_iterator(folder)) {
    fs::permissions(entry.path(), static_cast<fs::perms>(0444));
  }
  fs::permissions(folder, static_cast<fs::perms>(0555));
  {
    const AsOrdinaryUser user;
    EXPECT_EQ(Everything(database), expected_);
  }
  fs::permissions(folder, fs::perms::owner_all);
}

INSTANTIATE_TEST_SUITE_P(States, NoRoomTest, ::testing::ValuesIn(kStates),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
