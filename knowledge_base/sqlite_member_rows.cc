#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "knowledge_base/front_trials.h"
#include "knowledge_base/sqlite_rows.h"

namespace halftone {

std::optional<StoredTrial> SelectMemberTrial(SQLite::Database& connection, std::int64_t workload_id,
                                             const FrontMember& member) {
  std::vector<StoredTrial> of_plan =
      SelectTrialsOfPlan(connection, workload_id, member.plan_digest);
  const StoredTrial* found = FindMember(of_plan, member);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

void InsertMembers(SQLite::Database& connection, std::int64_t front_id,
                   const std::vector<FrontMember>& members) {
  SQLite::Statement insert(
      connection,
      "INSERT INTO front_member(front_id, position, plan_digest, measurement_hash, trial_id) "
      "VALUES (?, ?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const FrontMember& member : members) {
    insert.bind(1, front_id);
    insert.bind(2, position++);
    insert.bind(3, member.plan_digest.ToHex());
    insert.bind(4, member.measurement_hash.value().ToHex());
    insert.bind(5, member.trial_id);
    insert.exec();
    insert.reset();
  }
}

std::vector<FrontMember> SelectMembers(SQLite::Database& connection, std::int64_t front_id) {
  SQLite::Statement row(connection,
                        "SELECT plan_digest, measurement_hash, trial_id FROM front_member WHERE "
                        "front_id = ? ORDER BY position");
  row.bind(1, front_id);
  std::vector<FrontMember> members;
  while (row.executeStep()) {
    members.push_back({.plan_digest = HashFromText(row.getColumn(0).getString()),
                       .measurement_hash = HashFromText(row.getColumn(1).getString()),
                       .trial_id = row.getColumn(2).getInt64()});
  }
  return members;
}

}  // namespace halftone
