// Schema of the knowledge base as numbered migrations. docs/internals/bank.md explains the tables.
//
// A released migration is never edited: a change is a new one at the end, with a small database of
// the version before in tests/data.
#pragma once

#include <span>
#include <string_view>

namespace halftone {

// PRAGMA application_id, the letters "hftn": distinguishes a bank from other SQLite files.
inline constexpr int kApplicationId = 0x6866746e;

struct Migration {
  int version;  // of the schema after it; ascending by one from 1
  std::string_view sql;
};

std::span<const Migration> AllMigrations();

// The version that this program writes: that of the last migration.
int SchemaVersion();

}  // namespace halftone
