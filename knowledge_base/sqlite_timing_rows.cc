#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "knowledge_base/checksum.h"
#include "knowledge_base/sqlite_rows.h"
#include "src/base/error.h"

namespace halftone {
namespace {

constexpr const char* kTimingColumns =
    "id, recorded_at, signature, static_kernel, kernel, ratio, ratio_low, ratio_high, rounds, "
    "static_s, checksum, compared";

// `row` stands on a row that begins with kTimingColumns.
StoredTiming TimingOf(SQLite::Statement& row, const KernelVersion& kernels) {
  StoredTiming stored;
  stored.id = row.getColumn(0).getInt64();
  stored.recorded_at = row.getColumn(1).getString();
  stored.timing = {.signature = row.getColumn(2).getString(),
                   .static_kernel = row.getColumn(3).getString(),
                   .kernel = row.getColumn(4).getString(),
                   .ratio = row.getColumn(5).getDouble(),
                   .ratio_interval = {row.getColumn(6).getDouble(), row.getColumn(7).getDouble()},
                   .rounds = row.getColumn(8).getInt(),
                   .static_s = row.getColumn(9).getDouble(),
                   .compared = row.getColumn(11).getString()};
  if (HashFromText(row.getColumn(10).getString()) !=
      RowChecksum(ChecksumOf(kernels, stored.timing), stored.recorded_at)) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("operator timing {} does not match its checksum: the file was "
                            "damaged, restore it from a copy",
                            stored.id));
  }
  return stored;
}

// `row` stands on a row of kTimingColumns and the parts of the kernels' version.
TimingRow TimingRowOf(SQLite::Statement& row) {
  KernelVersion kernels{.isa = row.getColumn(12).getString(),
                        .kernel_table_hash = HashFromText(row.getColumn(13).getString()),
                        .tool_version = row.getColumn(14).getString(),
                        .cpu = row.getColumn(15).getString()};
  StoredTiming stored = TimingOf(row, kernels);
  return {std::move(kernels), std::move(stored)};
}

}  // namespace

void BindKernels(SQLite::Statement& statement, const KernelVersion& kernels) {
  statement.bind(1, kernels.isa);
  statement.bind(2, kernels.kernel_table_hash.ToHex());
  statement.bind(3, kernels.tool_version);
  statement.bind(4, kernels.cpu);
}

void InsertTiming(SQLite::Database& connection, const KernelVersion& kernels,
                  const std::string& recorded_at, const OperatorTiming& timing) {
  SQLite::Statement insert(
      connection,
      "INSERT INTO operator_timing(isa, kernel_table_hash, tool_version, cpu, signature, "
      "recorded_at, static_kernel, kernel, ratio, ratio_low, ratio_high, rounds, static_s, "
      "checksum, compared) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  BindKernels(insert, kernels);
  insert.bind(5, timing.signature);
  insert.bind(6, recorded_at);
  insert.bind(7, timing.static_kernel);
  insert.bind(8, timing.kernel);
  insert.bind(9, timing.ratio);
  insert.bind(10, timing.ratio_interval.low);
  insert.bind(11, timing.ratio_interval.high);
  insert.bind(12, timing.rounds);
  insert.bind(13, timing.static_s);
  insert.bind(14, RowChecksum(ChecksumOf(kernels, timing), recorded_at).ToHex());
  insert.bind(15, timing.compared);
  insert.exec();
}

std::vector<StoredTiming> SelectTimings(SQLite::Database& connection,
                                        const KernelVersion& kernels) {
  SQLite::Statement row(
      connection,
      fmt::format("SELECT {} FROM operator_timing WHERE id IN (SELECT id FROM (SELECT id, "
                  "row_number() OVER (PARTITION BY signature ORDER BY recorded_at DESC, id DESC) "
                  "AS place FROM operator_timing WHERE isa = ? AND kernel_table_hash = ? AND "
                  "tool_version = ? AND cpu = ?) WHERE place = 1) ORDER BY signature",
                  kTimingColumns));
  BindKernels(row, kernels);
  std::vector<StoredTiming> timings;
  while (row.executeStep()) {
    timings.push_back(TimingOf(row, kernels));
  }
  return timings;
}

TimingRow SelectTiming(SQLite::Database& connection, std::int64_t id) {
  std::optional<TimingRow> found;
  const std::int64_t ids[] = {id};
  VisitTimings(connection, ids, [&](TimingRow row) { found = std::move(row); });
  return std::move(found).value();
}

void VisitTimings(SQLite::Database& connection, std::span<const std::int64_t> ids,
                  const std::function<void(TimingRow)>& visit) {
  SQLite::Statement row(
      connection,
      fmt::format(
          "SELECT {}, isa, kernel_table_hash, tool_version, cpu FROM operator_timing WHERE id = ?",
          kTimingColumns));
  for (const std::int64_t id : ids) {
    row.reset();
    row.bind(1, id);
    Check(row.executeStep(), "reading an operator timing that is not there");
    visit(TimingRowOf(row));
  }
}

std::vector<TimingSummary> SelectTimingSummaries(SQLite::Database& connection) {
  SQLite::Statement row(connection,
                        "SELECT isa, kernel_table_hash, tool_version, max(recorded_at), cpu FROM "
                        "operator_timing GROUP BY isa, kernel_table_hash, tool_version, cpu ORDER "
                        "BY min(recorded_at), min(id)");
  std::vector<TimingSummary> summaries;
  while (row.executeStep()) {
    TimingSummary& summary = summaries.emplace_back();
    summary.kernels = {.isa = row.getColumn(0).getString(),
                       .kernel_table_hash = HashFromText(row.getColumn(1).getString()),
                       .tool_version = row.getColumn(2).getString(),
                       .cpu = row.getColumn(4).getString()};
    summary.last_recorded_at = row.getColumn(3).getString();
    for (const StoredTiming& stored : SelectTimings(connection, summary.kernels)) {
      ++(stored.timing.of_network() ? summary.networks : summary.operators);
      summary.tuned += stored.timing.tuned() ? 1 : 0;
    }
  }
  return summaries;
}

}  // namespace halftone
