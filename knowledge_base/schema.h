// Schema of the knowledge base: the tables, indices and triggers of a bank, made by one script.
// docs/internals/bank.md explains the tables.
//
// A bank of another schema is not read: it is exported by the program that wrote it, and imported.
// A change of the script raises kSchemaVersion, and what older programs export stays readable
// (knowledge_base/record_json.h).
#pragma once

#include <string_view>

namespace halftone {

// PRAGMA application_id, the letters "hfbk": distinguishes a bank from other SQLite files.
inline constexpr int kApplicationId = 0x6866626b;

// The application_id of banks that programs of before schema 1 wrote, the letters "hftn". Their
// versions, 1 to 18, are of other tables.
inline constexpr int kApplicationIdOfBefore = 0x6866746e;

// PRAGMA user_version of a bank, and meta.schema_version.
inline constexpr int kSchemaVersion = 1;

// The script that makes the tables of a bank in an empty database.
std::string_view CreateTablesSql();

}  // namespace halftone
