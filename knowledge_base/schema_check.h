// Schema check: compares the tables, indices and triggers of a bank with those of the schema.
#pragma once

#include <string>
#include <vector>

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's name
class Database;
}

namespace halftone {

struct SchemaDifferences {
  // Missing and changed definitions: "the table trial of schema 1 is missing", "the index x is not
  // that of schema 1". If there are any, rows are not to be trusted, and queries may fail.
  std::vector<std::string> damage;
  // Definitions that halftone did not make and ignores: "table songs".
  std::vector<std::string> foreign;
};

// Compares a bank with the definitions of CreateTablesSql(). Takes about 1 ms.
SchemaDifferences CompareSchema(SQLite::Database& connection);

}  // namespace halftone
