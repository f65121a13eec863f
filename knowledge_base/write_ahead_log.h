// SQLite's write-ahead log applied to the bytes of a database: for a bank whose log SQLite cannot
// replay, because that needs a file beside it.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// `database` with all committed transactions of `log`, as SQLite reads both: frames count up to the
// last commit before the first frame that is not of this log, or does not match its checksum. A log
// without a valid head has no effect. Nothing else is checked: SQLite decides whether the pages are
// a database.
//
// Error kDatabase: an unknown format of the log, another page size than the database has, or pages
// that neither has.
std::string WithWriteAheadLog(std::string database, std::string_view log);

}  // namespace halftone
