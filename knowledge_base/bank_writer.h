// Writer of records into a bank: adds what is not there, within the transaction of the caller.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/sqlite_rows.h"

namespace halftone {

// One source of records. Statements are prepared once, and records of a workload that the source
// brought are not looked for. `connection` must outlive it.
class BankWriter {
 public:
  explicit BankWriter(SQLite::Database& connection);
  ~BankWriter();
  BankWriter(const BankWriter&) = delete;
  BankWriter& operator=(const BankWriter&) = delete;

  // True: it was not there. The n-th time that a record comes it must be there n times.
  bool Add(const BankRecord& record);

  // The caller promises that no record so far comes again: they are forgotten.
  void Forget() { seen_.clear(); }

  // The row of a workload that was in the bank before the source; empty: it was not.
  std::optional<std::int64_t> FindOld(const Hash128& workload_key);

 private:
  struct KnownWorkload {
    std::int64_t id = 0;
    bool is_new = false;  // of this source
  };

  struct Lookup;  // of old records of a kind

  template <typename Record>
  bool AddRecord(const Record& record);
  bool AddRecord(const WorkloadRecord& record);
  template <typename Record>
  std::int64_t CountOld(const Record& record, const Hash128& content);
  const KnownWorkload* Find(const Hash128& key);
  const KnownWorkload& Get(const Hash128& key);

  void Insert(const TrialRecord& record);
  void Insert(const FrontRecord& record);
  void Insert(const SensitivityRecord& record);
  void Insert(const TimingRecord& record);
  void Insert(const ProfileRecord& record);
  void Insert(const CalibrationRow& record);

  SQLite::Database& connection_;
  TrialInserter trials_;
  std::array<std::unique_ptr<Lookup>, kRecordKinds> lookups_;
  std::unordered_map<Hash128, KnownWorkload> workloads_;
  // Number of times that each record came of which the bank had one before.
  std::unordered_map<Hash128, std::int64_t> seen_;
};

}  // namespace halftone
