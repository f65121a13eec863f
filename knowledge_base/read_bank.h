// Parts of a bank as records, from a connection and its snapshot: for readers that take less than
// ReadBank() gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/sqlite_rows.h"

namespace halftone {

// Ids of the rows of a table; `which`: a condition with at most one parameter, or an order.
std::vector<std::int64_t> IdsOf(SQLite::Database& connection, std::string_view table,
                                std::string_view which, std::optional<std::int64_t> parameter = {});

// Row numbers of all workloads, ordered by time and key.
std::vector<std::int64_t> WorkloadIds(SQLite::Database& connection);

// Visits the trials, fronts and sensitivities of a workload, each by time.
void ReadRecordsOf(SQLite::Database& connection, std::int64_t workload_id, const Hash128& key,
                   const RecordVisitor& visit);

// Visit these timings, profiles and calibrations.
void ReadTimings(SQLite::Database& connection, const std::vector<std::int64_t>& ids,
                 const RecordVisitor& visit);
void ReadProfiles(SQLite::Database& connection, const std::vector<std::int64_t>& ids,
                  const RecordVisitor& visit);
void ReadCalibrations(SQLite::Database& connection, const std::vector<std::int64_t>& ids,
                      const RecordVisitor& visit);

// Order of rows by time.
inline constexpr std::string_view kByTime = "ORDER BY recorded_at, id";

}  // namespace halftone
