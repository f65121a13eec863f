// Export format of banks: JSON lines that `halftone bank export` writes and `bank import` reads.
//
// The first line names the format and the last line gives the number of rows, so that a truncated
// file is noticed. The format has a version of its own, which does not change with the schema of
// the database: banks of different schemas can exchange records.
//
//   {"format":1,"halftone_bank":"export"}
//   {"cpu":"...",...,"key":"...",...,"row":"workload",...}
//   {"candidate":{...},"checksum":"...",...,"row":"trial","workload":"..."}
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

// Version of the export format. It increases when a field changes its meaning or is removed.
inline constexpr int kBankExportFormat = 1;

// First and last line, without line breaks. RecordToJson() makes the lines between.
std::string ExportHeader();
std::string ExportEnd(std::int64_t rows);

// Records of an export that the reader left out or mended.
struct ExportLosses {
  // Number of records left out, by kind. A record is left out if this program no longer reads its
  // layout, if its workload is left out, or if it is a front that names a plan without any
  // measurement.
  std::array<std::int64_t, kRecordKinds> left_out = {};
  std::string first;  // line and reason of the first record left out, a clause; empty: none

  // Number of fronts with a member whose measurement the export does not hold. The newest
  // confirmed measurement of the same plan replaces it, or the newest one if none is confirmed.
  // Old programs stored such fronts when an interrupted search was run again.
  std::int64_t mended_fronts = 0;

  [[nodiscard]] bool any_left_out() const { return !first.empty(); }
};

// Reads the lines of one export in order. It also reads exports of older programs.
class ExportReader {
 public:
  // Returns the record in the next line. Empty for the header, the end line, and a record that is
  // left out. Error kDatabase: not an export, another format, an end line with another number of
  // rows than were read, a line behind the end line, and the errors of RecordFromJson().
  std::optional<BankRecord> Read(std::string_view line);

  // Throws Error kDatabase unless the end line was read.
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
  // Remembers the current workload and its measured trials, which fronts refer to.
  void Keep(const WorkloadRecord& record);
  void Keep(const TrialRecord& record);
  // Gives each member the hash of its measurement, or of the one that replaces it. Returns false,
  // and counts the front as left out, if a member's plan has no measurement.
  bool Mend(StoredFront& front);
  // The measurement of a member, or the one that replaces it; null if the plan has none.
  [[nodiscard]] const Measured* Find(const FrontMember& member) const;

  bool begun_ = false;
  bool ended_ = false;
  std::int64_t rows_ = 0;
  std::unordered_set<Hash128> unread_workloads_;
  Hash128 workload_;                // key of the current workload
  std::vector<Measured> measured_;  // oldest first
  ExportLosses losses_;
};

}  // namespace halftone
