// Writer of records into a bank: adds the records that the bank lacks, within a transaction of the
// caller.
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

// Adds the records of one source to a bank. It prepares its statements once. If the source brings
// a new workload, the records of that workload are added without looking for them in the bank.
// `connection` must outlive the writer.
class BankWriter {
 public:
  explicit BankWriter(SQLite::Database& connection);
  ~BankWriter();
  BankWriter(const BankWriter&) = delete;
  BankWriter& operator=(const BankWriter&) = delete;

  // Adds the record unless the bank has it, and returns true if it was added. The n-th of several
  // equal records of the source is added unless the bank had n of them before.
  bool Add(const BankRecord& record);

  // Forgets which records the source had so far, to free memory. The caller promises that none of
  // them comes again.
  void Forget() { seen_.clear(); }

  // Row id of a workload that was in the bank before the source; empty if it was not.
  std::optional<std::int64_t> FindOld(const Hash128& workload_key);

 private:
  struct KnownWorkload {
    std::int64_t id = 0;
    bool is_new = false;  // added by this source
  };

  struct Lookup;  // statement that counts the old records of one kind that equal a record

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
  // Count of each record in the source so far, for records that were in the bank before.
  std::unordered_map<Hash128, std::int64_t> seen_;
};

}  // namespace halftone
