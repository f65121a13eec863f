// Files of a bank on the disk, checked before SQLite opens them: SQLite waits forever at a pipe,
// and gives one text for everything that it cannot open.
#pragma once

#include <filesystem>

namespace halftone {

struct BankFiles {
  // Path of the database, links resolved: SQLite puts its own files beside the file, not the link.
  std::filesystem::path path;
  bool exists = false;
  bool log = false;      // a write-ahead log with content: in use, or not closed properly
  bool journal = false;  // a rollback journal with content: its changes are still in the file
};

// Examines the files. Error kDatabase, which names the file, its kind and what to do: a folder, a
// pipe, a socket or a device in place of the database or of one of SQLite's files beside it; a loop
// of links; a folder on the way that may not be searched.
BankFiles LookAtBankFiles(const std::filesystem::path& database);

}  // namespace halftone
