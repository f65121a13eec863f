// Bytes of a database file, read through SQLite. Opening and closing the file by other means would
// release the locks that SQLite's connections in this process hold on it: POSIX ties locks to the
// process.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's name
class Database;
}

namespace halftone {

// "file:", the path with the characters ?, # and % escaped, then `query` unchanged.
std::string SqliteUri(const std::filesystem::path& database, std::string_view query);

// The first `count` bytes of the file that `connection` has open, or all bytes if there are fewer.
// The content of the write-ahead log is not part of them. SQLite::Exception if the file cannot be
// read.
std::string ReadFileOf(SQLite::Database& connection, std::size_t count);

// Checks the two format bytes in the head of a database, one for writing and one for reading. Error
// kDatabase if they differ, or are not 1 or 2: no version of SQLite writes that, and a program
// that can read such a file may be unable to write it. Bytes that are not of an SQLite database
// pass.
void CheckDatabaseHead(std::string_view bytes);

// All bytes of the file. SQLite::Exception if it cannot be opened or read.
std::string ReadDatabaseFile(const std::filesystem::path& database);

}  // namespace halftone
