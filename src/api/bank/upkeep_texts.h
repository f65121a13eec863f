// Texts and checks that the operations on whole banks share.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "knowledge_base/bank_records.h"

namespace halftone {

// "2 workloads, 31 trials, 1 front": the counts above 0; "nothing" if all are 0.
std::string Counts(const std::array<std::int64_t, kRecordKinds>& counts);

// "merged 'a.db': added 31 trials; 2 workloads known already"
std::string AddedLine(std::string_view verb, const std::string& from, const AddedRecords& result);

// Error kDatabase for a missing database: an operation that changes a bank must not create one.
void CheckExists(const std::filesystem::path& database);

}  // namespace halftone
