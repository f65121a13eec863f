#include "knowledge_base/merge_bank.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <set>
#include <utility>

#include "knowledge_base/bank_writer.h"
#include "knowledge_base/read_bank.h"
#include "knowledge_base/record_identity.h"
#include "knowledge_base/sqlite_connection.h"
#include "knowledge_base/sqlite_error.h"

namespace halftone {
namespace {

constexpr std::array kKindsOfWorkload = {KindOf<TrialRecord>(), KindOf<FrontRecord>(),
                                         KindOf<SensitivityRecord>()};

// Ids with time and checksum, by time.
std::vector<std::pair<std::int64_t, std::pair<std::string, std::string>>> SealsOfCalibrations(
    SQLite::Database& connection) {
  SQLite::Statement row(
      connection, fmt::format("SELECT id, recorded_at, checksum FROM calibration {}", kByTime));
  std::vector<std::pair<std::int64_t, std::pair<std::string, std::string>>> seals;
  while (row.executeStep()) {
    seals.emplace_back(row.getColumn(0).getInt64(),
                       std::pair(row.getColumn(1).getString(), row.getColumn(2).getString()));
  }
  return seals;
}

class SourceMerge {
 public:
  // `target` names the file of `into` in errors.
  SourceMerge(SQLite::Database& from, SQLite::Database& into, const std::filesystem::path& target)
      : from_(from), into_(into), target_(target), writer_(into) {}

  void Run() {
    for (const std::int64_t id : WorkloadIds(from_)) {
      WorkloadRow row = SelectWorkload(from_, id);
      const Hash128 key = row.key;
      Add(WorkloadRecord{std::move(row.recorded_at), std::move(row.workload)});
      if (!CountKnown(id, key)) {
        ReadRecordsOf(from_, id, key, [&](const BankRecord& record) { Add(record); });
      }
      writer_.Forget();
    }
    // Equal records have equal times: they come one after the other.
    std::string time;
    const auto add = [&](const BankRecord& record) {
      const std::string now =
          std::visit([](const auto& known) { return RecordedAt(known); }, record);
      if (now != std::exchange(time, now)) {
        writer_.Forget();
      }
      Add(record);
    };
    ReadTimings(from_, IdsOf(from_, "operator_timing", kByTime), add);
    ReadProfiles(from_, IdsOf(from_, "operator_profile", kByTime), add);
    ReadCalibrations(from_, UnknownCalibrations(), add);
  }

  [[nodiscard]] const AddedRecords& result() const { return result_; }

  // Of the bank that is written; null: none.
  [[nodiscard]] const std::exception_ptr& error_of_target() const { return error_of_target_; }

 private:
  template <typename Body>
  decltype(auto) InTarget(Body&& body) {
    try {
      return TranslatingSqliteErrors(target_, std::forward<Body>(body));
    } catch (...) {
      error_of_target_ = std::current_exception();
      throw;
    }
  }

  void Add(const BankRecord& record) {
    const bool added = InTarget([&] { return writer_.Add(record); });
    ++(added ? result_.added : result_.known).at(record.index());
  }

  // True: the bank has all that belongs to the workload, which is counted.
  bool CountKnown(std::int64_t id, const Hash128& key) {
    const auto old = InTarget([&] { return writer_.FindOld(key); });
    if (!old) {
      return false;
    }
    std::array<std::int64_t, kKindsOfWorkload.size()> counts = {};
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::string_view table = kRecordNames.at(kKindsOfWorkload[i]);
      const auto here = SelectSeals(from_, table, id);
      const auto there = InTarget([&] { return SelectSeals(into_, table, *old); });
      if (!std::ranges::includes(there, here)) {
        return false;
      }
      counts[i] = std::ssize(here);
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      result_.known.at(kKindsOfWorkload[i]) += counts[i];
    }
    return true;
  }

  // By time, without those that the bank has, which are counted: their texts are long.
  std::vector<std::int64_t> UnknownCalibrations() {
    std::multiset<std::pair<std::string, std::string>> there;
    InTarget([&] {
      for (auto& [id, seal] : SealsOfCalibrations(into_)) {
        there.insert(std::move(seal));
      }
    });
    std::vector<std::int64_t> unknown;
    for (const auto& [id, seal] : SealsOfCalibrations(from_)) {
      if (const auto found = there.find(seal); found != there.end()) {
        there.erase(found);
        ++result_.known.at(KindOf<CalibrationRow>());
      } else {
        unknown.push_back(id);
      }
    }
    return unknown;
  }

  SQLite::Database& from_;
  SQLite::Database& into_;
  const std::filesystem::path& target_;
  BankWriter writer_;
  AddedRecords result_;
  std::exception_ptr error_of_target_;
};

CpuNames SelectCpus(SQLite::Database& connection) {
  SQLite::Statement row(connection,
                        "SELECT cpu FROM workload UNION SELECT cpu FROM operator_timing UNION "
                        "SELECT cpu FROM operator_profile");
  CpuNames cpus;
  while (row.executeStep()) {
    cpus.insert(row.getColumn(0).getString());
  }
  return cpus;
}

}  // namespace

BankMerger::BankMerger(std::filesystem::path database)
    : database_(std::move(database)),
      connection_(OpenConnection(database_, OpenMode::kReadWrite, {})) {}

MergedBank BankMerger::Add(const std::filesystem::path& source,
                           const std::function<void(const CpuNames& cpus)>& accept) {
  std::shared_ptr<SQLite::Database> from;
  std::optional<SQLite::Transaction> snapshot;
  try {
    TranslatingSqliteErrors(source, [&] {
      from = OpenConnection(source, OpenMode::kReadOnly, {});
      snapshot.emplace(*from);
      if (accept) {
        accept(SelectCpus(*from));
      }
    });
  } catch (const Error& error) {
    return {.records = {}, .error = error};
  }
  return TranslatingSqliteErrors(database_, [&]() -> MergedBank {
    SQLite::Transaction transaction(*connection_, SQLite::TransactionBehavior::IMMEDIATE);
    SourceMerge merge(*from, *connection_, database_);
    try {
      TranslatingSqliteErrors(source, [&] { merge.Run(); });
    } catch (const Error& error) {
      if (merge.error_of_target()) {
        std::rethrow_exception(merge.error_of_target());
      }
      return {.records = {}, .error = error};
    }
    transaction.commit();
    return {.records = merge.result(), .error = {}};
  });
}

CpuNames BankMerger::Cpus() {
  return TranslatingSqliteErrors(database_, [&] { return SelectCpus(*connection_); });
}

CpuNames CpusIn(const std::filesystem::path& database) {
  return TranslatingSqliteErrors(
      database, [&] { return SelectCpus(*OpenConnection(database, OpenMode::kReadOnly, {})); });
}

}  // namespace halftone
