// Readers of parts of a bank as records, for callers that need less than ReadBank() gives. The
// caller brings the connection and the transaction in which all reads see one moment. A row that
// does not match its checksum is an Error kDatabase.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/sqlite_rows.h"

namespace halftone {

// Ids of rows of a table. `which` is the SQL behind the table's name, with its keyword: "WHERE
// ..." or "ORDER BY ...". `parameter` is bound to the "?" in it.
std::vector<std::int64_t> IdsOf(SQLite::Database& connection, std::string_view table,
                                std::string_view which, std::optional<std::int64_t> parameter = {});

// Ids of all workloads, ordered by time and key.
std::vector<std::int64_t> WorkloadIds(SQLite::Database& connection);

// Visits the trials of a workload, then its fronts, then its sensitivities, each kind by time.
void ReadRecordsOf(SQLite::Database& connection, std::int64_t workload_id, const Hash128& key,
                   const RecordVisitor& visit);

// Visit the rows with these ids, in the order of `ids`.
void ReadTimings(SQLite::Database& connection, const std::vector<std::int64_t>& ids,
                 const RecordVisitor& visit);
void ReadProfiles(SQLite::Database& connection, const std::vector<std::int64_t>& ids,
                  const RecordVisitor& visit);
void ReadCalibrations(SQLite::Database& connection, const std::vector<std::int64_t>& ids,
                      const RecordVisitor& visit);

// Clause that orders rows by time, and by id where times are equal.
inline constexpr std::string_view kByTime = "ORDER BY recorded_at, id";

}  // namespace halftone
