// Verification of a whole bank, beyond the checks of opening and reading it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "knowledge_base/bank_records.h"

namespace halftone {

struct BankCheck {
  // One sentence for each finding, without the file's name. Empty: the bank is as it was written.
  std::vector<std::string> findings;
  std::array<std::int64_t, kRecordKinds> records = {};  // number of checked records, by kind
};

// Checks the pages and indices (PRAGMA integrity_check), the foreign keys, the table definitions
// and every row: its checksum and key, the syntax of its time, and the existence of the rows that
// it refers to. Changes nothing. Throws the errors of OpenSqliteStore() for a file that is no bank
// of this version.
BankCheck VerifyBank(const std::filesystem::path& database);

}  // namespace halftone
