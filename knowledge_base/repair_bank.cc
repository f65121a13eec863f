#include "knowledge_base/repair_bank.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "knowledge_base/front_trials.h"
#include "knowledge_base/sqlite_connection.h"
#include "knowledge_base/sqlite_error.h"
#include "knowledge_base/sqlite_rows.h"
#include "knowledge_base/storable.h"
#include "src/base/text.h"

namespace halftone {
namespace {

void Execute(SQLite::Database& connection, const char* sql,
             std::initializer_list<std::int64_t> values) {
  SQLite::Statement statement(connection, sql);
  int parameter = 0;
  for (const std::int64_t value : values) {
    statement.bind(++parameter, value);
  }
  statement.exec();
}

class Repair {
 public:
  explicit Repair(SQLite::Database& connection) : connection_(connection) {}

  std::vector<std::string> Run() {
    for (const WorkloadSummary& summary : SelectWorkloads(connection_)) {
      const std::int64_t workload = WorkloadIdOf(connection_, summary.key).value();
      const std::vector<StoredTrial> history = SelectTrials(connection_, workload, TrialRows::kAll);
      for (const StoredFront& front : SelectFronts(connection_, workload, summary.key)) {
        RepairFront(workload, history, front);
      }
    }
    return std::move(repaired_);
  }

 private:
  void RepairFront(std::int64_t workload, const std::vector<StoredTrial>& history,
                   const StoredFront& front) {
    StoredFront mended = front;
    std::int64_t stand_ins = 0;
    for (std::size_t i = 0; i < front.members.size(); ++i) {
      const FrontMember& member = front.members[i];
      if (const StoredTrial* trial = FindMember(history, member)) {
        Execute(connection_,
                "UPDATE front_member SET trial_id = ? WHERE front_id = ? AND position = ?",
                {trial->id, front.id, static_cast<std::int64_t>(i)});
        mended.members[i].trial_id = trial->id;
      } else if (const StoredTrial* stand_in = FindStandIn(history, member)) {
        mended.members[i] = MemberOf(*stand_in);
        ++stand_ins;
      }
    }
    if (stand_ins == 0) {
      return;
    }
    // Fronts are append-only: the mended one takes the place of the other.
    Execute(connection_, "DELETE FROM front WHERE id = ?", {front.id});
    InsertFront(connection_, workload, front.recorded_at, mended);
    repaired_.push_back(
        fmt::format("front {} of {} named {} that was never stored: repaired with "
                    "the newest trial of the same plan",
                    front.id, front.recorded_at, Counted(stand_ins, "measurement")));
  }

  SQLite::Database& connection_;
  std::vector<std::string> repaired_;
};

}  // namespace

std::vector<std::string> RepairBank(const std::filesystem::path& database) {
  return TranslatingSqliteErrors(database, [&] {
    const auto connection = OpenConnection(database, OpenMode::kReadWrite, {});
    SQLite::Transaction transaction(*connection, SQLite::TransactionBehavior::IMMEDIATE);
    std::vector<std::string> repaired = Repair(*connection).Run();
    transaction.commit();
    return repaired;
  });
}

}  // namespace halftone
