// Bytes of a database file, read through SQLite: closing a file that SQLite has open in the same
// process would release the locks of its connections (a rule of POSIX).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's name
class Database;
}

namespace halftone {

// "file:" and the path with all URI characters escaped, then `query` unchanged.
std::string SqliteUri(const std::filesystem::path& database, std::string_view query);

// The first bytes, `count` at most, of the file that `connection` has open, without the content of
// the write-ahead log. Error SQLite::Exception where it cannot be read.
std::string ReadFileOf(SQLite::Database& connection, std::size_t count);

// Error kDatabase where the head of a database allows SQLite to read it but not to write it, or the
// other way round: no version of SQLite writes that, and readers would fail when they write.
void CheckDatabaseHead(std::string_view bytes);

// The bytes of the file. Error SQLite::Exception where it cannot be opened or read.
std::string ReadDatabaseFile(const std::filesystem::path& database);

}  // namespace halftone
