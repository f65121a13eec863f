#include "src/fleet/checkpoint.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "src/api/bank/bank_upkeep.h"
#include "src/api/bank/workload.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/output_file.h"
#include "src/base/path_error.h"
#include "src/base/remove_below.h"
#include "src/base/strict_json.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kBank = "bank.";
constexpr std::string_view kAttempts = "attempts.json";
constexpr std::uintmax_t kMostBytesOfCount = 4096;
constexpr std::string_view kDatabase = "halftone.db";
constexpr std::chrono::seconds kShowEvery{1};

double SecondsSince(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

void WriteUnflushed(const fs::path& path, std::string_view content) {
  OutputFile file(path);
  file.Write(content);
  file.Finish(Flush::kNo);
}

// Time after which a write counts as seen by readers: they may see it only once the disk has it.
constexpr std::chrono::seconds kSettled{10};

struct BankState {
  // Sizes and times of the files: another one after every write. Empty: no bank.
  std::string files;
  fs::file_time_type written = fs::file_time_type::min();  // the last of the files

  // What was written is seen by readers.
  [[nodiscard]] bool IsSettled() const {
    return fs::file_time_type::clock::now() - written > kSettled;
  }
};

BankState StateOfBank(const fs::path& bank) {
  BankState state;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(bank, code)) {
    if (entry.is_regular_file(code) && entry.path().extension() != ".db-shm") {  // readers write it
      const fs::file_time_type written = fs::last_write_time(entry.path(), code);
      state.files +=
          fmt::format("{} {} {}\n", entry.path().string(), fs::file_size(entry.path(), code),
                      written.time_since_epoch().count());
      state.written = std::max(state.written, written);
    }
  }
  return state;
}

// Targets whose databases a bank folder has: "host".
std::vector<std::string> TargetsOfBank(const fs::path& bank) {
  std::vector<std::string> targets;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(bank, code)) {
    if (fs::exists(entry.path() / kDatabase, code)) {
      targets.push_back(entry.path().filename().string());
    }
  }
  return targets;
}

// Why the bank cannot be used; empty: it can.
std::string DamageOf(const fs::path& bank) {
  try {
    for (const std::string& target : TargetsOfBank(bank)) {
      if (const BankVerdict verdict = CheckBank(bank, target); !verdict.intact) {
        return verdict.text;
      }
    }
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

void CopyFolder(const fs::path& from, const fs::path& to,
                std::initializer_list<std::string_view> but) {
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::find(but, name) != but.end()) {
      continue;
    }
    if (entry.is_directory()) {
      CopyFolder(entry.path(), to / name, {});
    } else {
      WriteUnflushed(to / name, ReadFile(entry.path()));
    }
  }
}

void RemoveCheckpoint(const FleetFolder& folder, const FleetItem& item) {
  RemoveBelow(folder.path(), folder.PartialFolder(item));
  RemoveOneBelow(folder.path(), folder.ProgressFile(item));
}

Checkpoint::Checkpoint(const FleetFolder& folder, const FleetPlan& plan, const FleetItem& item,
                       const TaskPlace& place, const ScratchFolder& scratch,
                       std::function<void(std::string_view)> say)
    : folder_(folder),
      every_s_(plan.checkpoint_s),
      item_(item),
      place_(place),
      scratch_(scratch),
      say_(std::move(say)),
      begin_(UtcNow()),
      saved_(Clock::now()) {}

// Complete copies have names that begin so; those being made begin with a dot.
std::vector<fs::path> Checkpoint::Copies() const {
  std::vector<fs::path> copies;
  std::error_code code;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(folder_.PartialFolder(item_), code)) {
    if (entry.path().filename().string().starts_with(kBank)) {
      copies.push_back(entry.path());
    }
  }
  return copies;
}

void Checkpoint::Restore() {
  if (const std::string damage = DamageOf(scratch_.bank()); !damage.empty()) {
    say_(fmt::format("{}: the bank on this machine's disk is left out: {}", item_.network, damage));
    RemoveBelow(scratch_.path(), scratch_.bank());
  }
  older_ = Copies();
  for (const fs::path& copy : older_) {
    Merge(copy);
  }
}

void Checkpoint::Merge(const fs::path& copy) const {
  for (const std::string& target : TargetsOfBank(copy)) {
    for (const MergeOutcome& merged : MergeEach({copy}, scratch_.bank(), target)) {
      if (merged.error) {
        say_(fmt::format("{}: a checkpoint is left out: {}", item_.network, merged.error->what()));
      }
    }
  }
}

int Checkpoint::CountAttempt() {
  const fs::path file = folder_.PartialFolder(item_) / kAttempts;
  attempts_ = 0;
  earlier_s_ = 0;
  try {
    if (fs::exists(file)) {
      const nlohmann::json json =
          ParseStrictJson(ReadSmallFile(file, kMostBytesOfCount), file.string());
      earlier_s_ = json.at("spent_s");
      attempts_ = json.at("attempts");
    }
  } catch (const std::exception&) {
    earlier_s_ = 0;
    say_(fmt::format("{}: '{}' is damaged: attempts count from 1 again", item_.network,
                     file.string()));
  }
  command_begin_ = Clock::now();
  WriteCount(++attempts_, earlier_s_);
  return attempts_;
}

void Checkpoint::Answered() {
  try {
    WriteCount(0, 0);
  } catch (const Error&) {
    // The answer counts more than the count, which goes when it is published.
  }
}

void Checkpoint::WriteCount(int attempts, double spent_s) {
  WriteFileAtomically(folder_.PartialFolder(item_) / kAttempts,
                      Json({{"attempts", attempts}, {"spent_s", spent_s}}).dump() + "\n");
}

double Checkpoint::SecondsOfAll() const {
  return earlier_s_ + SecondsSince(command_begin_);
}

void Checkpoint::Look() {
  if (SecondsSince(shown_) >= std::chrono::duration<double>(kShowEvery).count()) {
    ShowProgress();
    shown_ = Clock::now();
  }
  if (SecondsSince(saved_) >= every_s_) {
    Save(false);
    saved_ = Clock::now();
  }
}

void Checkpoint::CopyLatest() {
  const BankState state = StateOfBank(scratch_.bank());
  if (state.files.empty() || state.files == copied_) {
    return;
  }
  fs::path copy = folder_.PartialFolder(item_) /
                  fmt::format("{}{}.{}.{}", kBank, place_.node, ::getpid(), ++copies_);
  CopyBank(scratch_.bank(), {}, copy);
  for (const fs::path& old : older_) {
    RemoveBelow(folder_.path(), old);
  }
  older_ = {std::move(copy)};
  // Of before the copy: what is written meanwhile is copied next time.
  copied_ = state.IsSettled() ? state.files : "";
}

void Checkpoint::Save(bool interrupted) {
  try {
    CopyLatest();
    if (interrupted) {
      --attempts_;
      RemoveOneBelow(folder_.path(), folder_.ProgressFile(item_));
    }
    WriteCount(attempts_, SecondsOfAll());
    failed_ = false;
  } catch (const std::exception& error) {
    const auto* const known = dynamic_cast<const Error*>(&error);
    if (known != nullptr && known->kind() == ErrorKind::kDatabase && copied_.empty()) {
      return;  // the command has begun, and has no bank yet
    }
    if (!failed_) {
      say_(fmt::format("{}: no checkpoint: {}; the bank stays on this machine", item_.network,
                       SentenceOf(error)));
    }
    failed_ = true;
  }
}

void Checkpoint::ShowProgress() {
  try {
    Json progress;
    if (fs::exists(scratch_.progress())) {
      progress = Json::parse(ReadFile(scratch_.progress()));
    }
    const Json shown = {{"node", place_.node}, {"job", place_.job},    {"begin", begin_},
                        {"at", UtcNow()},      {"attempt", attempts_}, {"progress", progress}};
    WriteUnflushed(folder_.ProgressFile(item_), shown.dump() + "\n");
  } catch (const std::exception&) {
    // Nothing depends on it: `fleet status` then shows the one before.
  }
}

}  // namespace halftone
