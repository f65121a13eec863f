// Rows of the tables trial, metric, front, front_member, provenance, operator_timing and
// sensitivity: written and read back, with their checksums. Callers bring the transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knowledge_base/store.h"

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's name
class Database;
}

namespace halftone {

void InsertTrial(SQLite::Database& connection, std::int64_t workload_id,
                 const std::string& recorded_at, const Trial& trial);
void InsertFront(SQLite::Database& connection, std::int64_t workload_id,
                 const std::string& recorded_at, const StoredFront& front);

// The newest of each identity, oldest first. Error kDatabase for a row that does not match its
// checksum.
enum class TrialRows { kNewestOfEach, kAll };

std::vector<StoredTrial> SelectTrials(SQLite::Database& connection, std::int64_t workload_id,
                                      TrialRows rows);
// The newest first. Error likewise.
std::vector<StoredFront> SelectFronts(SQLite::Database& connection, std::int64_t workload_id,
                                      const Hash128& workload_key);

void InsertTiming(SQLite::Database& connection, const KernelVersion& kernels,
                  const std::string& recorded_at, const OperatorTiming& timing);
// As TrialStore. Error likewise.
std::vector<StoredTiming> SelectTimings(SQLite::Database& connection, const KernelVersion& kernels);
std::vector<TimingSummary> SelectTimingSummaries(SQLite::Database& connection);

void InsertSensitivity(SQLite::Database& connection, std::int64_t workload_id,
                       const std::string& recorded_at, const Hash128& decisions,
                       const Sensitivity& sensitivity);
// The newest. Error likewise.
std::optional<Sensitivity> SelectSensitivity(SQLite::Database& connection, std::int64_t workload_id,
                                             const Hash128& decisions);

// Error kDatabase when `text` is not a hash.
Hash128 HashFromText(const std::string& text);

}  // namespace halftone
