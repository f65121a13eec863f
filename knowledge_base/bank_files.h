// What stands on the disk under the name of a bank and beside it, looked at before SQLite opens it:
// SQLite waits for ever at a pipe, and gives one text for all that it cannot open.
#pragma once

#include <filesystem>

namespace halftone {

struct BankFiles {
  // Of the database, links resolved: SQLite keeps its own files beside the file, not the link.
  std::filesystem::path path;
  bool exists = false;
  bool log = false;      // a write-ahead log with content: in use, or not closed properly
  bool journal = false;  // a rollback journal with content: what it undoes is still in the file
};

// Error kDatabase, which names the file, what it is and what to do: a folder, a pipe, a socket or a
// device in place of the database or of one of SQLite's files beside it; links that lead in a
// circle; a folder on the way that may not be searched.
BankFiles LookAtBankFiles(const std::filesystem::path& database);

}  // namespace halftone
