// Knowledge base on the disk: <op_bank_path>/<soc_version>/halftone.db (SQLite, WAL).
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "knowledge_base/store.h"

namespace halftone {

// <bank>/<soc_version>/halftone.db
std::filesystem::path DatabasePath(const std::filesystem::path& bank, std::string_view soc_version);

enum class OpenMode { kReadOnly, kReadWrite };

struct SqliteOptions {
  double busy_timeout_s = 10;  // time to wait for another process that writes
  // PRAGMA quick_check when it is cheap or the file was not closed properly. False: the caller
  // checks (verify_bank.h).
  bool check_integrity = true;
  // kReadOnly: nobody writes to the file while it is open, as in a shared folder that is only read;
  // no lock is taken and nothing is written beside it. Error kDatabase for a bank that is in use or
  // was not closed properly.
  bool immutable = false;
};

// Opens the file; kReadWrite creates folder and file.
// Errors kDatabase, each naming the file and what to do: missing (kReadOnly), not a database, of
// another schema (schema.h), corrupt or cut short, locked for longer than 10 s, not writable. A
// file that is refused stays as it is.
std::unique_ptr<TrialStore> OpenSqliteStore(const std::filesystem::path& database, OpenMode mode,
                                            const SqliteOptions& options = {});

}  // namespace halftone
