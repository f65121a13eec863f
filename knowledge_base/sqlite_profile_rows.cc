#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "knowledge_base/checksum.h"
#include "knowledge_base/profile_json.h"
#include "knowledge_base/sqlite_rows.h"
#include "src/base/error.h"

namespace halftone {
namespace {

constexpr const char* kProfileColumns =
    "id, isa, kernel_table_hash, tool_version, cpu, op, threads, recorded_at, content, checksum";

// `row` stands on a row of kProfileColumns.
ProfileRow ProfileOf(SQLite::Statement& row) {
  ProfileRow read{
      .kernels = {.isa = row.getColumn(1).getString(),
                  .kernel_table_hash = HashFromText(row.getColumn(2).getString()),
                  .tool_version = row.getColumn(3).getString(),
                  .cpu = row.getColumn(4).getString()},
      .recorded_at = row.getColumn(7).getString(),
      .profile = {
          .op = row.getColumn(5).getString(), .threads = row.getColumn(6).getInt(), .calls = {}}};
  const std::string content = row.getColumn(8).getString();
  if (HashFromText(row.getColumn(9).getString()) !=
      RowChecksum(ChecksumOf(read.kernels, read.profile.op, read.profile.threads, content),
                  read.recorded_at)) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("operator profile {} does not match its checksum: the file was "
                            "damaged, restore it from a copy",
                            row.getColumn(0).getInt64()));
  }
  read.profile.calls = CallsFromJson(content);
  return read;
}

}  // namespace

void InsertProfile(SQLite::Database& connection, const KernelVersion& kernels,
                   const std::string& recorded_at, const OperatorProfile& profile) {
  const std::string content = CallsToJson(profile.calls);
  SQLite::Statement insert(connection,
                           "INSERT INTO operator_profile(isa, kernel_table_hash, tool_version, "
                           "cpu, op, threads, recorded_at, content, checksum) VALUES (?, ?, ?, ?, "
                           "?, ?, ?, ?, ?)");
  BindKernels(insert, kernels);
  insert.bind(5, profile.op);
  insert.bind(6, profile.threads);
  insert.bind(7, recorded_at);
  insert.bind(8, content);
  insert.bind(
      9,
      RowChecksum(ChecksumOf(kernels, profile.op, profile.threads, content), recorded_at).ToHex());
  insert.exec();
}

std::optional<OperatorProfile> SelectProfile(SQLite::Database& connection,
                                             const KernelVersion& kernels, std::string_view op,
                                             int threads) {
  SQLite::Statement row(
      connection,
      fmt::format("SELECT {} FROM operator_profile WHERE isa = ? AND kernel_table_hash = ? AND "
                  "tool_version = ? AND cpu = ? AND op = ? AND threads = ? ORDER BY recorded_at "
                  "DESC, id DESC LIMIT 1",
                  kProfileColumns));
  BindKernels(row, kernels);
  row.bind(5, std::string(op));
  row.bind(6, threads);
  return row.executeStep() ? std::optional(ProfileOf(row).profile) : std::nullopt;
}

ProfileRow SelectProfileRow(SQLite::Database& connection, std::int64_t id) {
  SQLite::Statement row(
      connection, fmt::format("SELECT {} FROM operator_profile WHERE id = ?", kProfileColumns));
  row.bind(1, id);
  Check(row.executeStep(), "reading an operator profile that is not there");
  return ProfileOf(row);
}

std::vector<ProfileSummary> SelectProfileSummaries(SQLite::Database& connection) {
  SQLite::Statement row(
      connection,
      fmt::format("SELECT {} FROM operator_profile WHERE id IN (SELECT id FROM (SELECT id, "
                  "row_number() OVER (PARTITION BY cpu, isa, kernel_table_hash, tool_version, op, "
                  "threads ORDER BY recorded_at DESC, id DESC) AS place FROM operator_profile) "
                  "WHERE place = 1) ORDER BY recorded_at, id",
                  kProfileColumns));
  std::vector<ProfileSummary> summaries;
  while (row.executeStep()) {
    ProfileRow read = ProfileOf(row);
    summaries.push_back({.kernels = std::move(read.kernels),
                         .op = std::move(read.profile.op),
                         .threads = read.profile.threads,
                         .calls = std::ssize(read.profile.calls),
                         .recorded_at = std::move(read.recorded_at)});
  }
  return summaries;
}

}  // namespace halftone
