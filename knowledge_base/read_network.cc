#include "knowledge_base/read_network.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "knowledge_base/read_bank.h"
#include "knowledge_base/sqlite_connection.h"
#include "knowledge_base/sqlite_error.h"
#include "knowledge_base/sqlite_rows.h"

namespace halftone {
namespace {

constexpr const char* kOfKernels =
    " WHERE isa = ? AND kernel_table_hash = ? AND tool_version = ? AND cpu = ?";

void ReadWorkloads(SQLite::Database& connection, const PartOfNetwork& part,
                   const RecordVisitor& visit) {
  SQLite::Statement of_model(
      connection,
      "SELECT id FROM workload WHERE model_hash = ? AND target = ? ORDER BY recorded_at, key");
  of_model.bind(1, part.model_hash.ToHex());
  of_model.bind(2, part.target);
  while (of_model.executeStep()) {
    const std::int64_t id = of_model.getColumn(0).getInt64();
    WorkloadRow row = SelectWorkload(connection, id);
    const Hash128 key = row.key;
    visit(WorkloadRecord{std::move(row.recorded_at), std::move(row.workload)});
    ReadRecordsOf(connection, id, key, visit);
  }
}

// Ids of the newest timings of the signatures that are wanted.
std::vector<std::int64_t> WantedTimings(SQLite::Database& connection, const KernelVersion& kernels,
                                        const PartOfNetwork& part) {
  SQLite::Statement signatures(
      connection, std::string("SELECT DISTINCT signature FROM operator_timing") + kOfKernels);
  SQLite::Statement newest(connection, std::string("SELECT id FROM operator_timing") + kOfKernels +
                                           " AND signature = ? ORDER BY recorded_at DESC, id DESC "
                                           "LIMIT 1");
  BindKernels(signatures, kernels);
  BindKernels(newest, kernels);
  std::vector<std::int64_t> ids;
  while (signatures.executeStep()) {
    const std::string signature = signatures.getColumn(0).getString();
    if (part.wants_timing(signature)) {
      newest.reset();
      newest.bind(5, signature);
      if (newest.executeStep()) {
        ids.push_back(newest.getColumn(0).getInt64());
      }
    }
  }
  return ids;
}

std::vector<std::int64_t> WantedProfiles(SQLite::Database& connection, const KernelVersion& kernels,
                                         const PartOfNetwork& part) {
  SQLite::Statement row(connection, std::string("SELECT id, op, threads FROM operator_profile") +
                                        kOfKernels +
                                        " ORDER BY op, threads, recorded_at DESC, id DESC");
  BindKernels(row, kernels);
  std::vector<std::int64_t> ids;
  std::optional<std::pair<std::string, int>> last;
  while (row.executeStep()) {
    std::pair<std::string, int> profile(row.getColumn(1).getString(), row.getColumn(2).getInt());
    if (last != profile && part.wants_profile(profile.first, profile.second)) {
      ids.push_back(row.getColumn(0).getInt64());
    }
    last = std::move(profile);
  }
  return ids;
}

std::vector<std::int64_t> WantedCalibrations(SQLite::Database& connection,
                                             const PartOfNetwork& part) {
  SQLite::Statement best(
      connection,
      fmt::format(
          "SELECT id FROM (SELECT id, isa, kernel_table_hash, tool_version, row_number() "
          "OVER (PARTITION BY key ORDER BY {}) AS place FROM calibration WHERE model_hash = "
          "?) WHERE place = 1 AND isa = ? AND kernel_table_hash = ? AND tool_version = ?",
          kBestCalibrationFirst));
  std::set<std::int64_t> ids;
  for (const KernelVersion& kernels : part.kernels) {
    best.reset();
    best.bind(1, part.model_hash.ToHex());
    best.bind(2, kernels.isa);
    best.bind(3, kernels.kernel_table_hash.ToHex());
    best.bind(4, kernels.tool_version);
    while (best.executeStep()) {
      ids.insert(best.getColumn(0).getInt64());
    }
  }
  return {ids.begin(), ids.end()};
}

}  // namespace

void ReadPartOfNetwork(const std::filesystem::path& database, const PartOfNetwork& part,
                       const RecordVisitor& visit) {
  TranslatingSqliteErrors(database, [&] {
    const auto connection = OpenConnection(database, OpenMode::kReadOnly, {.immutable = true});
    ReadWorkloads(*connection, part, visit);
    for (const KernelVersion& kernels : part.kernels) {
      ReadTimings(*connection, WantedTimings(*connection, kernels, part), visit);
      ReadProfiles(*connection, WantedProfiles(*connection, kernels, part), visit);
    }
    ReadCalibrations(*connection, WantedCalibrations(*connection, part), visit);
  });
}

}  // namespace halftone
