// Looks at everything in a bank, beyond what is checked when it is opened and read.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "knowledge_base/bank_records.h"

namespace halftone {

struct BankCheck {
  // A sentence each, none names the file; empty: the bank is as it was written.
  std::vector<std::string> findings;
  std::array<std::int64_t, kRecordKinds> records = {};  // that were checked, in order of kinds
};

// Checks the pages and indices (PRAGMA integrity_check), foreign keys, that the tables are those of
// the schema, and every row: its checksum or key, the form of its time, and that what it names is
// there. Changes nothing. Errors as OpenSqliteStore() for what is no bank of this version at all.
BankCheck VerifyBank(const std::filesystem::path& database);

}  // namespace halftone
