// Knowledge base on the disk: <op_bank_path>/<soc_version>/halftone.db, an SQLite database with a
// write-ahead log (WAL).
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
  double busy_timeout_s = 10;  // longest time to wait for another process that writes
  // Runs PRAGMA integrity_check and foreign_key_check if the file has at most 16 MiB, or if its
  // write-ahead log has content because the bank is in use or was not closed properly. False: the
  // caller checks the content and the table definitions (verify_bank.h).
  bool check_integrity = true;
  // Promise of the caller, for kReadOnly: nobody writes to the file while it is open. No lock is
  // taken, and nothing is written beside the file. Error kDatabase for a bank that is in use or was
  // not closed properly.
  bool immutable = false;
};

// Opens the file. kReadWrite creates the folder and the file if they are missing.
//
// Error kDatabase, which names the file and what to do: missing or empty (kReadOnly), not a
// database, of another schema (schema.h), damaged or cut short, locked for longer than
// busy_timeout_s, not writable (kReadWrite). A file that is refused stays as it is.
std::unique_ptr<TrialStore> OpenSqliteStore(const std::filesystem::path& database, OpenMode mode,
                                            const SqliteOptions& options = {});

}  // namespace halftone
