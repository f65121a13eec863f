// Changes rows of a bank behind the back of its triggers, as no program of ours does.
#pragma once

#include <filesystem>
#include <string>

namespace halftone::testing {

// Runs SQL on a closed bank with all triggers taken away and put back.
void EditBank(const std::filesystem::path& database, const std::string& sql);

// Runs SQL on a closed bank as it is.
void RunSql(const std::filesystem::path& database, const std::string& sql);

// Takes the time out of what the checksums cover, as in banks of before schema 9: who changes times
// afterwards damages nothing.
void Unseal(const std::filesystem::path& database);

// Everything as if recorded on a day of January 2026, a second for each id.
void SetDay(const std::filesystem::path& database, int day);

}  // namespace halftone::testing
