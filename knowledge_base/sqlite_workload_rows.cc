#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>

#include "knowledge_base/checksum.h"
#include "knowledge_base/sqlite_rows.h"
#include "src/base/error.h"

namespace halftone {
namespace {

constexpr const char* kWorkloadColumns =
    "key, model_name, model_hash, input_shapes, data_hash, target, isa, kernel_table_hash, "
    "tool_version, threads, recorded_at, kernel_choices, checksum, operators, cpu";

// `row` stands on a row that begins with kWorkloadColumns. Error where the key is another.
WorkloadRow WorkloadOf(SQLite::Statement& row) {
  WorkloadRow read{.key = HashFromText(row.getColumn(0).getString()),
                   .workload = {.model_name = row.getColumn(1).getString(),
                                .operators = row.getColumn(13).getString(),
                                .model_hash = HashFromText(row.getColumn(2).getString()),
                                .input_shapes = row.getColumn(3).getString(),
                                .data_hash = HashFromText(row.getColumn(4).getString()),
                                .target = row.getColumn(5).getString(),
                                .isa = row.getColumn(6).getString(),
                                .kernel_table_hash = HashFromText(row.getColumn(7).getString()),
                                .tool_version = row.getColumn(8).getString(),
                                .threads = row.getColumn(9).getInt(),
                                .kernel_choices = {},
                                .cpu = row.getColumn(14).getString()},
                   .recorded_at = row.getColumn(10).getString()};
  if (const std::string choices = row.getColumn(11).getString(); !choices.empty()) {
    read.workload.kernel_choices = HashFromText(choices);
  }
  if (KeyOf(read.workload) != read.key) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("workload {} does not match its key: the file was damaged, restore it "
                            "from a copy",
                            read.key.ToHex()));
  }
  if (HashFromText(row.getColumn(12).getString()) !=
      RowChecksum(ChecksumOf(read.workload), read.recorded_at)) {
    throw Error(
        ErrorKind::kDatabase,
        fmt::format("workload {} does not match its checksum: the file was damaged, restore "
                    "it from a copy",
                    read.key.ToHex()));
  }
  return read;
}

}  // namespace

void InsertWorkload(SQLite::Database& connection, const Hash128& key,
                    const std::string& recorded_at, const Workload& workload) {
  // OR IGNORE: another process may have added it since it was looked for.
  SQLite::Statement insert(connection, fmt::format("INSERT OR IGNORE INTO workload({}) VALUES "
                                                   "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                                   kWorkloadColumns));
  insert.bind(1, key.ToHex());
  insert.bind(2, workload.model_name);
  insert.bind(3, workload.model_hash.ToHex());
  insert.bind(4, workload.input_shapes);
  insert.bind(5, workload.data_hash.ToHex());
  insert.bind(6, workload.target);
  insert.bind(7, workload.isa);
  insert.bind(8, workload.kernel_table_hash.ToHex());
  insert.bind(9, workload.tool_version);
  insert.bind(10, workload.threads);
  insert.bind(11, recorded_at);
  insert.bind(12, workload.kernel_choices == Hash128{} ? "" : workload.kernel_choices.ToHex());
  insert.bind(13, RowChecksum(ChecksumOf(workload), recorded_at).ToHex());
  insert.bind(14, workload.operators);
  insert.bind(15, workload.cpu);
  insert.exec();
}

void TakeEarlierName(SQLite::Database& connection, const Hash128& key,
                     const std::string& recorded_at, const Workload& workload) {
  SQLite::Statement update(
      connection,
      "UPDATE workload SET recorded_at = ?1, model_name = ?2, checksum = ?4 "
      "WHERE key = ?3 AND (recorded_at > ?1 OR (recorded_at = ?1 AND model_name > ?2))");
  update.bind(1, recorded_at);
  update.bind(2, workload.model_name);
  update.bind(3, key.ToHex());
  update.bind(4, RowChecksum(ChecksumOf(workload), recorded_at).ToHex());
  update.exec();
}

std::optional<std::int64_t> WorkloadIdOf(SQLite::Database& connection, const Hash128& key) {
  SQLite::Statement select(connection, "SELECT id FROM workload WHERE key = ?");
  select.bind(1, key.ToHex());
  return select.executeStep() ? std::optional(select.getColumn(0).getInt64()) : std::nullopt;
}

WorkloadRow SelectWorkload(SQLite::Database& connection, std::int64_t id) {
  SQLite::Statement row(connection,
                        fmt::format("SELECT {} FROM workload WHERE id = ?", kWorkloadColumns));
  row.bind(1, id);
  Check(row.executeStep(), "reading a workload that is not there");
  return WorkloadOf(row);
}

std::vector<std::pair<std::string, std::string>> SelectSeals(SQLite::Database& connection,
                                                             std::string_view table,
                                                             std::int64_t workload_id) {
  SQLite::Statement row(
      connection, fmt::format("SELECT recorded_at, checksum FROM {} WHERE workload_id = ?", table));
  row.bind(1, workload_id);
  std::vector<std::pair<std::string, std::string>> seals;
  while (row.executeStep()) {
    seals.emplace_back(row.getColumn(0).getString(), row.getColumn(1).getString());
  }
  std::ranges::sort(seals);
  return seals;
}

std::vector<WorkloadSummary> SelectWorkloads(SQLite::Database& connection) {
  // An index has all that is asked of trials: rows hold samples. Three passes over it by SQLite
  // take less than one by us, or one with groups.
  SQLite::Statement row(
      connection,
      fmt::format("SELECT {}, "
                  "(SELECT count(DISTINCT identity) FROM trial WHERE workload_id = workload.id), "
                  "(SELECT count(*) FROM trial WHERE workload_id = workload.id), "
                  "(SELECT count(*) FROM front WHERE workload_id = workload.id), "
                  "max(recorded_at, "
                  "ifnull((SELECT max(recorded_at) FROM trial WHERE workload_id = workload.id), "
                  "''), "
                  "ifnull((SELECT max(recorded_at) FROM front WHERE workload_id = workload.id), "
                  "'')) FROM workload ORDER BY id",
                  kWorkloadColumns));
  std::vector<WorkloadSummary> summaries;
  while (row.executeStep()) {
    WorkloadRow read = WorkloadOf(row);
    summaries.push_back({.key = read.key,
                         .workload = std::move(read.workload),
                         .trials = row.getColumn(15).getInt64(),
                         .records = row.getColumn(16).getInt64(),
                         .fronts = row.getColumn(17).getInt64(),
                         .last_recorded_at = row.getColumn(18).getString()});
  }
  return summaries;
}

}  // namespace halftone
