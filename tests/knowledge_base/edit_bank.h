// Changes rows of a bank behind the back of its triggers, as no program of ours does.
#pragma once

#include <filesystem>
#include <string>

namespace halftone::testing {

// Runs SQL on a closed bank with all triggers taken away and put back.
void EditBank(const std::filesystem::path& database, const std::string& sql);

// Runs SQL on a closed bank as it is.
void RunSql(const std::filesystem::path& database, const std::string& sql);

// Everything as if recorded on a day of January 2026, a second for each id.
void SetDay(const std::filesystem::path& database, int day);

}  // namespace halftone::testing
