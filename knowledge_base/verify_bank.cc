#include "knowledge_base/verify_bank.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "knowledge_base/checksum.h"
#include "knowledge_base/schema.h"
#include "knowledge_base/schema_check.h"
#include "knowledge_base/sqlite_connection.h"
#include "knowledge_base/sqlite_error.h"
#include "knowledge_base/sqlite_rows.h"
#include "knowledge_base/storable.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::size_t kMostPageFindings = 10;  // of pages that are told one by one
constexpr const char* kRestore = "the file was damaged, restore it from a copy";
constexpr const char* kRepair =
    "a search that was interrupted and run again left it so before schema 8; `halftone bank "
    "verify --repair` takes the newest trial of the plan";

// "operator timing": how errors of a row name its kind.
std::string NounOf(std::size_t kind) {
  std::string noun(kRecordNames.at(kind));
  std::replace(noun.begin(), noun.end(), '_', ' ');
  return noun;
}

class Verifier {
 public:
  explicit Verifier(SQLite::Database& connection) : connection_(connection) {}

  BankCheck Run() {
    Guarded("the pages", [&] { CheckPages(); });
    Guarded("the foreign keys", [&] { CheckForeignKeys(); });
    Guarded("the tables", [&] { CheckTables(); });
    // Each by itself: a page that cannot be read takes the rest of its own table only.
    Guarded("the table workload", [&] { CheckWorkloads(); });
    Guarded("the table trial", [&] { CheckTrials(); });
    Guarded("the table front", [&] { CheckFronts(); });
    Guarded("the table sensitivity", [&] { CheckSensitivities(); });
    Guarded("the table operator_timing", [&] { CheckTimings(); });
    Guarded("the table operator_profile", [&] { CheckProfiles(); });
    Guarded("the table calibration", [&] { CheckCalibrations(); });
    return std::move(result_);
  }

 private:
  using Row = std::tuple<std::int64_t, Hash128, Hash128>;  // workload, plan, measurement

  struct RowId {
    std::int64_t id = 0;
    std::int64_t workload_id = 0;
    std::string recorded_at;
  };

  template <typename... Arguments>
  void Find(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    std::string finding = fmt::format(format, std::forward<Arguments>(arguments)...);
    if (told_.insert(finding).second) {
      result_.findings.push_back(std::move(finding));
    }
  }

  // Turns exceptions of SQLite and of rows into findings, so that the next part is checked.
  template <typename Body>
  void Guarded(std::string_view part, Body&& body) {
    try {
      body();
    } catch (const SQLite::Exception& error) {
      Find("{} cannot be read in whole ({}): {}", part, error.what(), kRestore);
    } catch (const Error& error) {
      const std::string_view text = error.what();
      if (text.find(part) == std::string_view::npos) {
        Find("{}: {}", part, text);
      } else {
        Find("{}", text);
      }
    }
  }

  void CheckPages() {
    // SQLite answers in rows of several lines, below a line that names the database.
    constexpr std::string_view kHeading = "***";
    std::size_t found = 0;
    SQLite::Statement row(connection_, "PRAGMA integrity_check");
    while (row.executeStep()) {
      const std::string text = row.getColumn(0).getString();
      for (const std::string_view line : Split(text, '\n')) {
        if (line != "ok" && !line.empty() && !line.starts_with(kHeading) &&
            ++found <= kMostPageFindings) {
          Find("SQLite finds '{}': {}", Printable(line), kRestore);
        }
      }
    }
    if (found > kMostPageFindings) {
      Find("SQLite finds {} more: {}",
           Counted(static_cast<std::int64_t>(found - kMostPageFindings), "fault"), kRestore);
    }
  }

  void CheckForeignKeys() {
    SQLite::Statement row(connection_, "PRAGMA foreign_key_check");
    while (row.executeStep()) {
      Find("a row of the table {} belongs to a {} that is not there: {}",
           row.getColumn(0).getString(), row.getColumn(2).getString(), kRestore);
    }
  }

  void CheckTables() {
    const SchemaDifferences differences = CompareSchema(connection_, SchemaVersion());
    for (const std::string& damage : differences.damage) {
      Find("{}: {}", damage, kRestore);
    }
    for (const std::string& foreign : differences.foreign) {
      Find("the {} is not of halftone: another program has written to the file", foreign);
    }
    SQLite::Statement version(connection_, "SELECT value FROM meta WHERE key = 'schema_version'");
    const std::string text = version.executeStep() ? version.getColumn(0).getString() : "nothing";
    if (text != std::to_string(SchemaVersion())) {
      Find("meta.schema_version is {} and PRAGMA user_version {}: {}", Printable(text),
           SchemaVersion(), kRestore);
    }
  }

  // `check` reads the row, which throws when it is damaged.
  template <typename Check>
  void CheckRows(std::size_t kind, bool of_workload, Check&& check) {
    SQLite::Statement rows(connection_,
                           fmt::format("SELECT id, recorded_at, {} FROM {} ORDER BY id",
                                       of_workload ? "workload_id" : "0", kRecordNames.at(kind)));
    while (rows.executeStep()) {
      const RowId row{.id = rows.getColumn(0).getInt64(),
                      .workload_id = rows.getColumn(2).getInt64(),
                      .recorded_at = rows.getColumn(1).getString()};
      const std::string name = fmt::format("{} {}", kRecordNames.at(kind), row.id);
      ++result_.records.at(kind);
      Guarded(fmt::format("{} {}", NounOf(kind), row.id), [&] {
        if (!IsRecordTime(row.recorded_at)) {
          Find("{} was recorded at '{}', which is no time: {}", name, Printable(row.recorded_at),
               kRestore);
        }
        check(row);
      });
    }
  }

  void CheckWorkloads() {
    CheckRows(0, false, [&](const RowId& row) {
      keys_.emplace(row.id, SelectWorkload(connection_, row.id).key);
    });
  }

  // What fronts refer to: of other trials nothing is kept.
  void ReadNamedPlans() {
    SQLite::Statement member(connection_,
                             "SELECT workload_id, plan_digest, trial_id FROM front_member JOIN "
                             "front ON front.id = front_id");
    while (member.executeStep()) {
      named_plans_.emplace(member.getColumn(0).getInt64(), member.getColumn(1).getString());
      named_rows_.insert(member.getColumn(2).getInt64());
    }
  }

  void CheckTrials() {
    Guarded("the table front_member", [&] { ReadNamedPlans(); });
    TrialReader reader(connection_);
    SQLite::Statement identity(connection_, "SELECT identity FROM trial WHERE id = ?");
    CheckRows(1, true, [&](const RowId& row) {
      const Trial trial = reader.Read(row.id).trial;
      Note(row, trial);
      identity.tryReset();
      identity.bind(1, row.id);
      identity.executeStep();
      if (identity.getColumn(0).getString() != IdentityOf(trial)) {
        Find("trial {} is filed under another plan: {}", row.id, kRestore);
      }
    });
  }

  // Keeps the measurement where a front names its plan or its row.
  void Note(const RowId& row, const Trial& trial) {
    const bool plan_is_named = named_plans_.contains({row.workload_id, trial.plan_digest.ToHex()});
    if (trial.measurement() == nullptr || (!plan_is_named && !named_rows_.contains(row.id))) {
      return;
    }
    const Hash128 hash = MeasurementHashOf(trial);
    measurements_.emplace(row.workload_id, trial.plan_digest, hash);
    measurements_.emplace(row.workload_id, trial.plan_digest, Hash128{});
    rows_.emplace(row.id, Row{row.workload_id, trial.plan_digest, hash});
  }

  void CheckFronts() {
    CheckRows(2, true, [&](const RowId& row) {
      const auto key = keys_.find(row.workload_id);
      if (key == keys_.end()) {
        return;  // its workload is a finding already
      }
      const StoredFront front = SelectFront(connection_, row.id, key->second);
      for (const FrontMember& member : front.members) {
        if (IsThere(row.workload_id, member)) {
          continue;
        }
        const bool has_stand_in =
            measurements_.contains({row.workload_id, member.plan_digest, Hash128{}});
        Find("front {} names plan {}, of which there is no such trial: {}", row.id,
             member.plan_digest.ToHex(), has_stand_in ? kRepair : kRestore);
      }
      if (front.chosen && *front.chosen >= front.members.size()) {
        Find("front {} has {} and chooses number {}: {}", row.id,
             Counted(std::ssize(front.members), "member"), *front.chosen + 1, kRestore);
      }
    });
  }

  void CheckSensitivities() {
    CheckRows(3, true, [&](const RowId& row) { SelectSensitivityRow(connection_, row.id); });
  }

  void CheckTimings() {
    CheckRows(4, false, [&](const RowId& row) { SelectTiming(connection_, row.id); });
  }

  void CheckProfiles() {
    CheckRows(5, false, [&](const RowId& row) { SelectProfileRow(connection_, row.id); });
  }

  void CheckCalibrations() {
    CheckRows(6, false, [&](const RowId& row) { SelectCalibrationRow(connection_, row.id); });
  }

  [[nodiscard]] bool IsThere(std::int64_t workload_id, const FrontMember& member) const {
    const Row expected = {workload_id, member.plan_digest,
                          member.measurement_hash.value_or(Hash128{})};
    if (!measurements_.contains(expected)) {
      return false;
    }
    const auto row = rows_.find(member.trial_id);
    return member.trial_id == 0 ||
           (row != rows_.end() && (row->second == expected || !member.measurement_hash));
  }

  SQLite::Database& connection_;
  BankCheck result_;
  std::set<std::string> told_;                                  // findings, each once
  std::map<std::int64_t, Hash128> keys_;                        // of workloads by id
  std::set<std::pair<std::int64_t, std::string>> named_plans_;  // by workload
  std::set<std::int64_t> named_rows_;
  // Measured trials that fronts name; the zero hash as measurement stands for any.
  std::set<Row> measurements_;
  std::map<std::int64_t, Row> rows_;  // the same by id
};

}  // namespace

BankCheck VerifyBank(const std::filesystem::path& database) {
  return TranslatingSqliteErrors(database, [&] {
    const auto connection =
        OpenConnection(database, OpenMode::kReadOnly, {.check_integrity = false});
    const SQLite::Transaction snapshot(*connection);
    return Verifier(*connection).Run();
  });
}

}  // namespace halftone
