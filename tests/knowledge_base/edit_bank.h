// Changes rows of a bank behind the back of its triggers, as no program of ours does.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace halftone::testing {

// Runs SQL on a closed bank with all triggers taken away and put back.
void EditBank(const std::filesystem::path& database, const std::string& sql);

// Runs SQL on a closed bank as it is.
void RunSql(const std::filesystem::path& database, const std::string& sql);

// Runs SQL and calls `body` before the connection is closed: what was written is in the log.
void WhileInUse(const std::filesystem::path& database, const std::string& sql,
                const std::function<void()>& body);

// A bank as programs of before schema 1 left it, of this version, with its table meta only.
void MakeBankOfBefore(const std::filesystem::path& database, int version);

// All rows of a table (kRecordNames) as if recorded at `time`, an SQL expression of their columns.
void SetTimes(const std::filesystem::path& database, std::string_view table,
              const std::string& time);

// Everything as if recorded on a day of January 2026, a second for each id.
void SetDay(const std::filesystem::path& database, int day);

}  // namespace halftone::testing
