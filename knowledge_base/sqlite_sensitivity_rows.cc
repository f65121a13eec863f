#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "knowledge_base/checksum.h"
#include "knowledge_base/sensitivity_json.h"
#include "knowledge_base/sqlite_rows.h"
#include "src/base/error.h"

namespace halftone {
namespace {

constexpr const char* kSensitivityColumns = "id, recorded_at, decisions, content, checksum";

// `row` stands on a row of kSensitivityColumns.
SensitivityRow RowOf(SQLite::Statement& row) {
  const Hash128 decisions = HashFromText(row.getColumn(2).getString());
  const std::string content = row.getColumn(3).getString();
  const std::string recorded_at = row.getColumn(1).getString();
  if (HashFromText(row.getColumn(4).getString()) !=
      RowChecksum(ChecksumOf(decisions, content), recorded_at)) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("sensitivity {} does not match its checksum: the file was damaged, "
                            "restore it from a copy",
                            row.getColumn(0).getInt64()));
  }
  return {.recorded_at = recorded_at,
          .decisions = decisions,
          .sensitivity = SensitivityFromJson(content)};
}

}  // namespace

void InsertSensitivity(SQLite::Database& connection, std::int64_t workload_id,
                       const std::string& recorded_at, const Hash128& decisions,
                       const Sensitivity& sensitivity) {
  const std::string content = SensitivityToJson(sensitivity);
  SQLite::Statement insert(connection,
                           "INSERT INTO sensitivity(workload_id, decisions, recorded_at, content, "
                           "checksum) VALUES (?, ?, ?, ?, ?)");
  insert.bind(1, workload_id);
  insert.bind(2, decisions.ToHex());
  insert.bind(3, recorded_at);
  insert.bind(4, content);
  insert.bind(5, RowChecksum(ChecksumOf(decisions, content), recorded_at).ToHex());
  insert.exec();
}

std::optional<Sensitivity> SelectSensitivity(SQLite::Database& connection, std::int64_t workload_id,
                                             const Hash128& decisions) {
  SQLite::Statement row(connection,
                        fmt::format("SELECT {} FROM sensitivity WHERE workload_id = ? AND "
                                    "decisions = ? ORDER BY recorded_at DESC, id DESC LIMIT 1",
                                    kSensitivityColumns));
  row.bind(1, workload_id);
  row.bind(2, decisions.ToHex());
  return row.executeStep() ? std::optional(RowOf(row).sensitivity) : std::nullopt;
}

SensitivityRow SelectSensitivityRow(SQLite::Database& connection, std::int64_t id) {
  SQLite::Statement row(
      connection, fmt::format("SELECT {} FROM sensitivity WHERE id = ?", kSensitivityColumns));
  row.bind(1, id);
  Check(row.executeStep(), "reading a sensitivity that is not there");
  return RowOf(row);
}

}  // namespace halftone
