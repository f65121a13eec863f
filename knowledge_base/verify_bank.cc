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
    const SchemaDifferences differences = CompareSchema(connection_);
    for (const std::string& damage : differences.damage) {
      Find("{}: {}", damage, kRestore);
    }
    for (const std::string& foreign : differences.foreign) {
      Find("the {} is not of halftone: another program has written to the file", foreign);
    }
    SQLite::Statement version(connection_, "SELECT value FROM meta WHERE key = 'schema_version'");
    const std::string text = version.executeStep() ? version.getColumn(0).getString() : "nothing";
    if (text != std::to_string(kSchemaVersion)) {
      Find("meta.schema_version is {} and PRAGMA user_version {}: {}", Printable(text),
           kSchemaVersion, kRestore);
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
  void ReadNamedRows() {
    SQLite::Statement member(connection_, "SELECT trial_id FROM front_member");
    while (member.executeStep()) {
      named_rows_.insert(member.getColumn(0).getInt64());
    }
  }

  void CheckTrials() {
    Guarded("the table front_member", [&] { ReadNamedRows(); });
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

  // Keeps the measurement where a front names its row.
  void Note(const RowId& row, const Trial& trial) {
    if (trial.measurement() != nullptr && named_rows_.contains(row.id)) {
      rows_.emplace(row.id, Row{row.workload_id, trial.plan_digest, MeasurementHashOf(trial)});
    }
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
        Find("front {} names plan {}, of which there is no such trial: {}", row.id,
             member.plan_digest.ToHex(), kRestore);
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
    const auto row = rows_.find(member.trial_id);
    return row != rows_.end() &&
           row->second == Row{workload_id, member.plan_digest, member.measurement_hash.value()};
  }

  SQLite::Database& connection_;
  BankCheck result_;
  std::set<std::string> told_;            // findings, each once
  std::map<std::int64_t, Hash128> keys_;  // of workloads by id
  std::set<std::int64_t> named_rows_;     // of trials, by fronts
  std::map<std::int64_t, Row> rows_;      // these that are measured
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
