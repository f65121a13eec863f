// Checked SQLite connection to a bank: the right file, the right version, intact.
#pragma once

#include <filesystem>
#include <memory>

#include "knowledge_base/sqlite_store.h"

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's name
class Database;
}

namespace halftone {

// The connection of OpenSqliteStore(), with its checks and errors but those of the tables' content.
std::shared_ptr<SQLite::Database> OpenConnection(const std::filesystem::path& database,
                                                 OpenMode mode, const SqliteOptions& options);

}  // namespace halftone
