// What SQLite's write-ahead log adds to a database, worked out on bytes: for a bank whose log
// cannot be replayed in the ordinary way, because that needs a file beside it.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// `database` with all transactions of `log` that were committed, as SQLite reads both: frames count
// up to the last commit before the first frame that is not of this log, or does not match its
// checksum. A log without a valid head counts for nothing. Neither is looked at any further:
// whether the pages are a database is for SQLite to say.
//
// Error kDatabase: a log of a format that this does not know, of pages of another size than the
// database has, or of pages that neither of them has.
std::string WithWriteAheadLog(std::string database, std::string_view log);

}  // namespace halftone
