// SQLite connection to a bank whose file, version and integrity are checked.
#pragma once

#include <filesystem>
#include <memory>

#include "knowledge_base/sqlite_store.h"

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's name
class Database;
}

namespace halftone {

// Opens a connection to a bank. Options, checks and errors are those of OpenSqliteStore().
std::shared_ptr<SQLite::Database> OpenConnection(const std::filesystem::path& database,
                                                 OpenMode mode, const SqliteOptions& options);

}  // namespace halftone
