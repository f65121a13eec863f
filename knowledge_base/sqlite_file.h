// The bytes of a database file, by way of SQLite: closing a file that it has open in the same
// process by ourselves would take the locks of its connections away (a rule of POSIX).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's name
class Database;
}

namespace halftone {

// "file:" with everything escaped that has a meaning in a URI, then `query` as it is.
std::string SqliteUri(const std::filesystem::path& database, std::string_view query);

// The file that `connection` has open, without what is in the write-ahead log only: at most `count`
// bytes from its beginning. Error SQLite::Exception where it cannot be read.
std::string ReadFileOf(SQLite::Database& connection, std::size_t count);

// Error kDatabase where the first bytes of a database say that SQLite may read it but not write it,
// or the other way round: no version of SQLite writes that, and what reads would fail when it
// writes.
void CheckDatabaseHead(std::string_view bytes);

// The whole file. Error SQLite::Exception where it cannot be opened or read.
std::string ReadDatabaseFile(const std::filesystem::path& database);

}  // namespace halftone
