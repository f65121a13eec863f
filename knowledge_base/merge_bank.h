// Union of banks: the records of one after the other, each in a transaction of its own.
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

// Each Workload::cpu and KernelVersion::cpu in a bank.
using CpuNames = std::set<std::string>;

struct MergedBank {
  AddedRecords records;
  std::optional<Error> error;  // of the source: nothing of it was added
};

class BankMerger {
 public:
  // Opens the bank, or makes it. Error kDatabase.
  explicit BankMerger(std::filesystem::path database);

  // Adds what the source has and the bank does not, as AddToBank(). A workload of which the bank
  // has all records, by their times and checksums, is not read further. Error kDatabase where the
  // bank cannot be written; what is wrong with the source is returned, also an Error that `accept`
  // throws at what the source holds.
  MergedBank Add(const std::filesystem::path& source,
                 const std::function<void(const CpuNames& cpus)>& accept = {});

  // Models of CPU that the bank holds measurements of now. Error kDatabase.
  CpuNames Cpus();

 private:
  std::filesystem::path database_;
  std::shared_ptr<SQLite::Database> connection_;
};

// Error kDatabase.
CpuNames CpusIn(const std::filesystem::path& database);

}  // namespace halftone
