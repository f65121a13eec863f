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

constexpr int kFirstBound = 6;  // of the columns below, behind the checksum

// The columns of all bounds, which have their names, each with `before` it; or `each` for every
// one.
std::string BoundColumns(std::string_view before, std::string_view each = {}) {
  std::string columns;
  for (const BoundMember& bound : kBoundMembers) {
    columns += fmt::format("{}{}", before, each.empty() ? bound.name : each);
  }
  return columns;
}

// The fronts that meet a condition with one parameter, the newest first.
std::vector<StoredFront> FrontsWhere(SQLite::Database& connection, std::string_view condition,
                                     std::int64_t parameter, const Hash128& workload_key) {
  SQLite::Statement row(connection, fmt::format("SELECT id, recorded_at, strategy, reference_top1, "
                                                "chosen, checksum{} FROM front WHERE {} "
                                                "ORDER BY recorded_at DESC, id DESC",
                                                BoundColumns(", "), condition));
  row.bind(1, parameter);
  std::vector<StoredFront> fronts;
  while (row.executeStep()) {
    StoredFront front;
    front.id = row.getColumn(0).getInt64();
    front.workload_key = workload_key;
    front.recorded_at = row.getColumn(1).getString();
    front.strategy = row.getColumn(2).getString();
    int column = kFirstBound;
    for (const BoundMember& bound : kBoundMembers) {
      front.constraints.*bound.value = OptionalOf(row.getColumn(column++));
    }
    front.reference_top1 = OptionalOf(row.getColumn(3));
    if (!row.getColumn(4).isNull()) {
      front.chosen = static_cast<std::size_t>(row.getColumn(4).getInt64());
    }
    front.members = SelectMembers(connection, front.id);
    front.provenance = SelectProvenance(connection, front.id);
    if (HashFromText(row.getColumn(5).getString()) !=
        RowChecksum(ChecksumOf(front), front.recorded_at)) {
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
      fmt::format("INSERT INTO front(workload_id, recorded_at, strategy, reference_top1, chosen, "
                  "checksum{}) VALUES (?, ?, ?, ?, ?, ?{})",
                  BoundColumns(", "), BoundColumns(", ", "?")));
  insert.bind(1, workload_id);
  insert.bind(2, recorded_at);
  insert.bind(3, front.strategy);
  BindOptional(insert, 4, front.reference_top1);
  if (front.chosen) {
    insert.bind(5, static_cast<std::int64_t>(*front.chosen));
  }
  insert.bind(6, RowChecksum(ChecksumOf(front), recorded_at).ToHex());
  int parameter = kFirstBound + 1;  // counted from 1
  for (const BoundMember& bound : kBoundMembers) {
    BindOptional(insert, parameter++, front.constraints.*bound.value);
  }
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
