// Replay of SQLite's write-ahead log in memory, for a bank whose log SQLite cannot replay: SQLite
// needs to write a file beside the bank for that.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// Returns the bytes `database` after all committed transactions of `log`, as SQLite would read
// them. Frames count up to the last commit before the first frame that belongs to another log or
// does not match its checksum. A log without a valid head has no effect. Nothing else is checked:
// SQLite decides whether the pages are a database.
//
// Error kDatabase: a log of an unknown format, a log with another page size than the database, or
// a database that is cut short: neither it nor the log has its last pages.
std::string WithWriteAheadLog(std::string database, std::string_view log);

}  // namespace halftone
