// Verification of a whole bank, beyond the checks of opening and reading it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "knowledge_base/bank_records.h"

namespace halftone {

struct BankCheck {
  // One sentence each, without the file's name; empty: the bank is as it was written.
  std::vector<std::string> findings;
  std::array<std::int64_t, kRecordKinds> records = {};  // number checked, by kind
};

// Checks the pages and indices (PRAGMA integrity_check), foreign keys, that the tables are those of
// the schema, and every row: its checksum or key, the syntax of its time, and that the rows it
// names exist. Changes nothing. Errors as OpenSqliteStore() for files that are no bank of this
// version.
BankCheck VerifyBank(const std::filesystem::path& database);

}  // namespace halftone
