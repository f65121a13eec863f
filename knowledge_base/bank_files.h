// Files of a bank on the disk, checked before SQLite opens them. SQLite would wait forever at a
// pipe, and has only one message for everything that it cannot open.
#pragma once

#include <filesystem>

namespace halftone {

struct BankFiles {
  // Path of the database with links resolved: SQLite puts its own files beside the file that a
  // link leads to.
  std::filesystem::path path;
  bool exists = false;
  // True if a write-ahead log with content is there: the bank is in use, or was not closed
  // properly.
  bool log = false;
  // True if a rollback journal with content is there: the database may hold changes of a
  // transaction that did not end.
  bool journal = false;
};

// Examines the database and the files that SQLite keeps beside it. A missing database is no error.
// Error kDatabase, which names the file, its kind and what to do: one of these files is a folder,
// a pipe, a socket or a device; a file beside the database is a link; the path of the database has
// a loop of links, or a folder that may not be searched.
BankFiles LookAtBankFiles(const std::filesystem::path& database);

}  // namespace halftone
