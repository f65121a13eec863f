// Export format of banks, which `halftone bank export` writes and `import` reads: JSON lines. The
// first line names the format and the last the number of rows, so that truncation is noticed. The
// number of the format is its own, not that of the database's schema: a bank of any schema goes
// into one of another.
//
//   {"format":1,"halftone_bank":"export"}
//   {"row":"workload","key":"...","recorded_at":"...",...}
//   {"row":"trial","workload":"...",...,"checksum":"..."}
//   {"row":"end","rows":2}
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/record_json.h"

namespace halftone {

// Raised when a field changes its meaning or goes away.
inline constexpr int kBankExportFormat = 1;

// First and last line, without line ends; RecordToJson() makes those between.
std::string ExportHeader();
std::string ExportEnd(std::int64_t rows);

// Records of an export that are left out or mended.
struct ExportLosses {
  // Records that are left out, by kind: of a form that is not read any more, of a workload that is
  // left out, and fronts that name a plan without any measurement.
  std::array<std::int64_t, kRecordKinds> left_out = {};
  std::string first;  // the line of the first and why, a clause

  // Fronts with members whose measurement the export does not hold, as searches of old programs
  // that were interrupted and run again left some: the newest measurement of the same plan, a
  // confirmed one where there is one, stands in.
  std::int64_t mended_fronts = 0;

  [[nodiscard]] bool any_left_out() const { return !first.empty(); }
};

// Reads the lines of one export in order, of this program and of older ones.
class ExportReader {
 public:
  // The record of a line; empty for the header, the end, and a record that is left out. Error
  // kDatabase: not an export, another format, a line behind the end, and as RecordFromJson().
  std::optional<BankRecord> Read(std::string_view line);

  // Error kDatabase unless the last line was read.
  void Finish() const;

  [[nodiscard]] const ExportLosses& losses() const { return losses_; }

 private:
  // A measured trial of the current workload.
  struct Measured {
    Hash128 plan;
    Hash128 measurement;
    bool confirmed = false;
  };

  void LeaveOut(std::size_t kind, std::string_view why);
  // Keeps what fronts of the workload refer to.
  void Keep(const WorkloadRecord& record);
  void Keep(const TrialRecord& record);
  // Gives each member the measurement that it means. False: there is none, the front is left out.
  bool Mend(StoredFront& front);
  // The measurement that a member means; null: its plan has none.
  [[nodiscard]] const Measured* Find(const FrontMember& member) const;

  bool begun_ = false;
  bool ended_ = false;
  std::int64_t rows_ = 0;
  std::unordered_set<Hash128> unread_workloads_;
  Hash128 workload_;                // the current one
  std::vector<Measured> measured_;  // oldest first
  ExportLosses losses_;
};

}  // namespace halftone
