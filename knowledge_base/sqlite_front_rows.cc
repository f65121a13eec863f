#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "knowledge_base/checksum.h"
#include "knowledge_base/sqlite_rows.h"
#include "src/base/error.h"

namespace halftone {
namespace {

void BindOptional(SQLite::Statement& insert, int index, const std::optional<double>& value) {
  if (value) {
    insert.bind(index, *value);
  } else {
    insert.bind(index);
  }
}

std::optional<double> OptionalOf(const SQLite::Column& column) {
  return column.isNull() ? std::nullopt : std::optional(column.getDouble());
}

void InsertProvenance(SQLite::Database& connection, std::int64_t front_id,
                      const Provenance& provenance) {
  SQLite::Statement fact(connection,
                         "INSERT INTO provenance(front_id, name, value) VALUES (?, ?, ?)");
  for (const auto& [name, value] : provenance) {
    fact.bind(1, front_id);
    fact.bind(2, name);
    fact.bind(3, value);
    fact.exec();
    fact.reset();
  }
}

Provenance SelectProvenance(SQLite::Database& connection, std::int64_t front_id) {
  SQLite::Statement fact(connection, "SELECT name, value FROM provenance WHERE front_id = ?");
  fact.bind(1, front_id);
  Provenance provenance;
  while (fact.executeStep()) {
    provenance.emplace(fact.getColumn(0).getString(), fact.getColumn(1).getString());
  }
  return provenance;
}

// The fronts that meet a condition with one parameter, the newest first.
std::vector<StoredFront> FrontsWhere(SQLite::Database& connection, std::string_view condition,
                                     std::int64_t parameter, const Hash128& workload_key) {
  SQLite::Statement row(
      connection,
      fmt::format(
          "SELECT id, recorded_at, strategy, min_sqnr_db, max_top1_drop, max_latency_ratio, "
          "reference_top1, chosen, checksum, max_rel_l2, min_agreement, min_sqnr_db_share, "
          "max_rel_l2_share FROM front WHERE {} "
          "ORDER BY recorded_at DESC, id DESC",
          condition));
  row.bind(1, parameter);
  std::vector<StoredFront> fronts;
  while (row.executeStep()) {
    StoredFront front;
    front.id = row.getColumn(0).getInt64();
    front.workload_key = workload_key;
    front.recorded_at = row.getColumn(1).getString();
    front.strategy = row.getColumn(2).getString();
    front.constraints = {.min_sqnr_db = OptionalOf(row.getColumn(3)),
                         .max_rel_l2 = OptionalOf(row.getColumn(9)),
                         .max_top1_drop = OptionalOf(row.getColumn(4)),
                         .min_agreement = OptionalOf(row.getColumn(10)),
                         .max_latency_ratio = OptionalOf(row.getColumn(5)),
                         .min_sqnr_db_share = OptionalOf(row.getColumn(11)),
                         .max_rel_l2_share = OptionalOf(row.getColumn(12))};
    front.reference_top1 = OptionalOf(row.getColumn(6));
    if (!row.getColumn(7).isNull()) {
      front.chosen = static_cast<std::size_t>(row.getColumn(7).getInt64());
    }
    front.members = SelectMembers(connection, front.id);
    front.provenance = SelectProvenance(connection, front.id);
    if (!MatchesRow(HashFromText(row.getColumn(8).getString()), ChecksumOf(front),
                    front.recorded_at)) {
      throw Error(ErrorKind::kDatabase,
                  fmt::format("front {} does not match its checksum: the file was damaged, restore "
                              "it from a copy",
                              front.id));
    }
    fronts.push_back(std::move(front));
  }
  return fronts;
}

}  // namespace

void InsertFront(SQLite::Database& connection, std::int64_t workload_id,
                 const std::string& recorded_at, const StoredFront& front) {
  SQLite::Statement insert(
      connection,
      "INSERT INTO front(workload_id, recorded_at, strategy, min_sqnr_db, max_top1_drop, "
      "max_latency_ratio, reference_top1, chosen, checksum, max_rel_l2, min_agreement, "
      "min_sqnr_db_share, max_rel_l2_share) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, workload_id);
  insert.bind(2, recorded_at);
  insert.bind(3, front.strategy);
  BindOptional(insert, 4, front.constraints.min_sqnr_db);
  BindOptional(insert, 5, front.constraints.max_top1_drop);
  BindOptional(insert, 6, front.constraints.max_latency_ratio);
  BindOptional(insert, 7, front.reference_top1);
  if (front.chosen) {
    insert.bind(8, static_cast<std::int64_t>(*front.chosen));
  }
  insert.bind(9, RowChecksum(ChecksumOf(front), recorded_at).ToHex());
  BindOptional(insert, 10, front.constraints.max_rel_l2);
  BindOptional(insert, 11, front.constraints.min_agreement);
  BindOptional(insert, 12, front.constraints.min_sqnr_db_share);
  BindOptional(insert, 13, front.constraints.max_rel_l2_share);
  insert.exec();
  const std::int64_t id = connection.getLastInsertRowid();
  InsertMembers(connection, id, front.members);
  InsertProvenance(connection, id, front.provenance);
}

std::vector<StoredFront> SelectFronts(SQLite::Database& connection, std::int64_t workload_id,
                                      const Hash128& workload_key) {
  return FrontsWhere(connection, "workload_id = ?", workload_id, workload_key);
}

StoredFront SelectFront(SQLite::Database& connection, std::int64_t id,
                        const Hash128& workload_key) {
  std::vector<StoredFront> fronts = FrontsWhere(connection, "id = ?", id, workload_key);
  Check(!fronts.empty(), "reading a front that is not there");
  return std::move(fronts.front());
}

}  // namespace halftone
