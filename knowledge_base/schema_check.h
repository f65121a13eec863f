// Schema check: whether the tables, indices and triggers of a bank are those of the schema.
#pragma once

#include <string>
#include <vector>

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's name
class Database;
}

namespace halftone {

struct SchemaDifferences {
  // "the table trial of schema 1 is missing", "the index x is not that of schema 1": rows cannot be
  // relied on, and queries fail.
  std::vector<std::string> damage;
  // "table songs": not made by halftone, and ignored.
  std::vector<std::string> foreign;
};

// Compares a bank with what CreateTablesSql() makes. About 1 ms.
SchemaDifferences CompareSchema(SQLite::Database& connection);

}  // namespace halftone
