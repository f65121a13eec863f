// Merging of banks: adds the records of source banks to one bank, each source in a transaction of
// its own.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "knowledge_base/bank_records.h"
#include "src/base/error.h"

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's name
class Database;
}

namespace halftone {

// CPUs of the workloads, operator timings and operator profiles in a bank: the values of
// Workload::cpu and KernelVersion::cpu.
using CpuNames = std::set<std::string>;

struct MergedBank {
  AddedRecords records;
  std::optional<Error> error;  // error of the source; nothing of it was added then
};

class BankMerger {
 public:
  // Opens the bank, or creates it. Error kDatabase.
  explicit BankMerger(std::filesystem::path database);

  // Adds the records that the source has and the bank lacks, as AddToBank() does. If the bank has
  // all records of a workload, by time and checksum, they are only counted. `accept` sees the CPUs
  // of the source before anything is added, and throws an Error to refuse it. That Error, and an
  // Error of the source, are returned in MergedBank::error. Error kDatabase is thrown if the bank
  // cannot be written.
  MergedBank Add(const std::filesystem::path& source,
                 const std::function<void(const CpuNames& cpus)>& accept = {});

  // CPUs of the measurements that the bank holds now. Error kDatabase.
  CpuNames Cpus();

 private:
  std::filesystem::path database_;
  std::shared_ptr<SQLite::Database> connection_;
};

// CPUs of the measurements that a bank holds. Error kDatabase.
CpuNames CpusIn(const std::filesystem::path& database);

}  // namespace halftone
