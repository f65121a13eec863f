// Schema of the knowledge base: the tables, indices and triggers of a bank, made by one script.
// docs/internals/bank.md explains the tables.
//
// A bank of another schema is not read. Its content moves by an export with the program that wrote
// it, and an import here. A change of the script increases kSchemaVersion; exports of older
// programs stay readable (knowledge_base/record_json.h).
#pragma once

#include <string_view>

namespace halftone {

// PRAGMA application_id, the letters "hfbk": distinguishes a bank from other SQLite files.
inline constexpr int kApplicationId = 0x6866626b;

// The application_id of older banks, the letters "hftn". Their PRAGMA user_version, 1 to 18, counts
// the layouts before schema 1.
inline constexpr int kApplicationIdOfBefore = 0x6866746e;

// Value of PRAGMA user_version and of meta.schema_version in a bank.
inline constexpr int kSchemaVersion = 1;

// The script that makes the tables of a bank in an empty database.
std::string_view CreateTablesSql();

}  // namespace halftone
