// A bank in which `bank verify` finds nothing is the bank that was written: whatever else may have
// happened to the file, every command gives what it gave before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "knowledge_base/checksum.h"
#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/bank_upkeep.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTarget = "host";

Trial Measured(std::uint64_t number) {
  Trial trial;
  trial.candidate.options.precision_mode = "force_fp16";
  trial.plan_digest = {3, number};
  trial.kept_nodes = {"conv1"};
  const double ratio = 0.5 + 0.125 * static_cast<double>(number);
  Measurement measurement;
  measurement.latency = {.ratio = ratio,
                         .ratio_interval = {ratio, ratio},
                         .median_s = 0.25,
                         .anchor_median_s = 0.5,
                         .candidate_samples_s = {0.25, 0.3},
                         .anchor_samples_s = {0.5, 0.6}};
  measurement.accuracy.metrics = {{.name = "sqnr_db", .mean = 40, .worst = 30, .worst_sample = 1},
                                  {.name = "rel_l2", .mean = 0.1, .worst = 0.2}};
  measurement.confirmed = true;
  trial.outcome = measurement;
  return trial;
}

Trial Rejected() {
  Trial trial;
  trial.candidate.options.precision_mode = "force_fp32";
  trial.outcome = Rejection{"the target has no float32"};
  return trial;
}

// In memory where the system has such a folder: what is written is flushed to the disk.
fs::path Folder() {
  const fs::path memory = "/dev/shm";
  return (fs::is_directory(memory) ? memory : fs::path(::testing::TempDir())) /
         ("halftone_bank_flips_" + std::to_string(::getpid()));
}

class BankFlipsTest : public ::testing::Test {
 protected:
  BankFlipsTest() {
    model_.name = "net";
    model_.hash = {1, 2};
    model_.input_shapes = "x:1,8";
    Fill(bank_, 0);
    Fill(other_, 10);
    whole_ = ReadFile(database_);
    OpenSqliteStore(DatabasePath(fresh_, kTarget), OpenMode::kReadWrite);
    fresh_bytes_ = ReadFile(DatabasePath(fresh_, kTarget));
  }

  ~BankFlipsTest() override { fs::remove_all(folder_); }

  // Two workloads, one of which has all kinds of rows.
  void Fill(const fs::path& bank, std::uint64_t first) const {
    const auto store = OpenSqliteStore(DatabasePath(bank, kTarget), OpenMode::kReadWrite);
    Workload workload{.model_name = model_.name,
                      .model_hash = model_.hash,
                      .input_shapes = model_.input_shapes,
                      .data_hash = {5, first},
                      .target = "host",
                      .isa = "avx2",
                      .tool_version = std::string(Version()),
                      .threads = 1};
    const Hash128 key = store->AddWorkload(workload);
    for (std::uint64_t i = first; i < first + 3; ++i) {
      store->AddTrial(key, Measured(i));
    }
    store->AddTrial(key, Measured(first));  // once more
    store->AddTrial(key, Rejected());
    StoredFront front{.workload_key = key, .strategy = "greedy"};
    front.members = {{.plan_digest = Measured(first).plan_digest,
                      .measurement_hash = MeasurementHashOf(Measured(first))}};
    front.chosen = 0;
    front.provenance = {{"cpu", "some CPU"}};
    store->AddFront(front);
    store->AddFront(front);
    store->AddSensitivity(key, {4, 4}, {.groups = {}, .weights = {1}});
    OperatorTiming timing{.signature = "MatMul 1",
                          .static_kernel = "a",
                          .kernel = "b",
                          .ratio = 0.5,
                          .ratio_interval = {0.25, 0.75},
                          .rounds = 9,
                          .static_s = 0.125,
                          .compared = "a b"};
    const KernelVersion kernels{.isa = "avx2", .tool_version = std::string(Version())};
    store->AddOperatorTimings(kernels, {{timing}});
    const ProfiledCall call{.shape = {.family = "MatMul float32", .sizes = {5, 0.5}},
                            .seconds = {{"a", 0.25}, {"b", 0.125}}};
    store->AddOperatorProfile(kernels, {.op = "MatMul", .threads = 1, .calls = {call}});
    workload.threads = 2;
    store->AddTrial(store->AddWorkload(workload), Rejected());
  }

  // The bank with other bytes, alone in its folder.
  void Put(const std::string& bytes, const fs::path& database) const {
    for (const char* beside : {"-wal", "-shm"}) {
      fs::remove(database.string() + beside);
    }
    fs::create_directories(database.parent_path());
    std::ofstream(database, std::ios::binary) << bytes;
  }

  static std::string Export(const fs::path& bank) {
    std::string text;
    ExportBank(bank, kTarget, [&](std::string_view line) { text += line; });
    return text;
  }

  // What every command says of the bank with these bytes, and what it leaves.
  std::vector<std::string> Results(const std::string& bytes) {
    std::vector<std::string> results;
    const auto add = [&](const std::function<std::string()>& command) {
      try {
        results.push_back(command());
      } catch (const Error& error) {
        results.push_back(std::string("error: ") + error.what());
      }
    };
    Put(bytes, database_);
    add([&] { return ListBank(bank_, kTarget); });
    add([&] { return ShowBank(bank_, kTarget, ""); });
    add([&] { return Export(bank_); });
    add([&] {
      const StoredConfiguration stored = LoadStored(model_, bank_, kTarget, "");
      return stored.recorded_at + stored.trial.plan_digest.ToHex() +
             stored.precision.precision_mode;
    });
    for (const bool superseded : {true, false}) {
      const PruneRequest request =
          superseded ? PruneRequest{.superseded = true} : PruneRequest{.keep_newest = 1};
      Put(bytes, database_);
      add([&] { return PruneBank(bank_, kTarget, request); });
      add([&] { return Export(bank_); });
    }
    Put(bytes, database_);
    add([&] { return MergeBanks({other_}, bank_, kTarget); });
    add([&] { return Export(bank_); });
    Put(bytes, database_);
    Put(fresh_bytes_, DatabasePath(fresh_, kTarget));
    add([&] { return MergeBanks({bank_}, fresh_, kTarget); });
    add([&] { return Export(fresh_); });
    return results;
  }

  // The outcome with one bit flipped; false: `bank verify` does not pass.
  bool Verifies(const std::string& bytes) {
    Put(bytes, database_);
    try {
      return CheckBank(bank_, kTarget).intact;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kDatabase) << error.what();
      EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
      return false;
    }
  }

  void ExpectNoticedOrTheSame(std::size_t byte, int bit) {
    std::string damaged = whole_;
    damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit));
    if (!Verifies(damaged)) {
      ++noticed_;
      return;
    }
    ++unnoticed_;
    const std::vector<std::string> results = Results(damaged);
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i], expected_[i])
          << "bit " << bit << " of byte " << byte << ", result " << i;
    }
  }

  fs::path folder_ = Folder();
  fs::path bank_ = folder_ / "bank";
  fs::path other_ = folder_ / "other";
  fs::path fresh_ = folder_ / "fresh";
  fs::path database_ = DatabasePath(bank_, kTarget);
  Model model_;
  std::string whole_;
  std::string fresh_bytes_;  // a bank without rows: to make one takes longer than all commands
  std::vector<std::string> expected_;
  int noticed_ = 0;
  int unnoticed_ = 0;
};

// Every bit of the file's head, and of the pages bits that a seed chooses: a bit that `bank verify`
// passed could make `bank prune` fail.
TEST_F(BankFlipsTest, WhatVerifyPassesEveryCommandTakesAsItWas) {
  constexpr std::size_t kHeadBytes = 100;  // https://www.sqlite.org/fileformat2.html, section 1.3
  constexpr int kOtherBits = 350;
  expected_ = Results(whole_);
  for (const std::string& result : expected_) {
    EXPECT_EQ(result.find("error"), std::string::npos) << result;
  }
  for (std::size_t byte = 0; byte < kHeadBytes; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      ExpectNoticedOrTheSame(byte, bit);
    }
  }
  Rng rng(20261124);
  for (int i = 0; i < kOtherBits; ++i) {
    const std::size_t byte = kHeadBytes + rng.Below(whole_.size() - kHeadBytes);
    ExpectNoticedOrTheSame(byte, static_cast<int>(rng.Below(8)));
  }
  EXPECT_GT(noticed_, 100);
  EXPECT_GT(unnoticed_, 100) << "free space has no content";
}

}  // namespace
}  // namespace halftone
