#include "knowledge_base/bank_export.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "knowledge_base/checksum.h"
#include "knowledge_base/record_identity.h"
#include "src/base/error.h"

namespace halftone {
namespace {

using nlohmann::json;

// The last line has two short fields; only lines up to this length are looked at for it.
constexpr std::size_t kLongestEnd = 200;

[[noreturn]] void Throw(std::string_view message) {
  throw Error(ErrorKind::kDatabase, message);
}

void CheckHeader(std::string_view text) {
  const json line = json::parse(text, nullptr, false);
  if (!line.is_object() || line.value("halftone_bank", json()) != "export" ||
      !line.value("format", json()).is_number_integer()) {
    Throw(
        "expected the first line of `halftone bank export`: {\"format\":1,\"halftone_bank\":"
        "\"export\"}");
  }
  if (const int format = line.at("format").get<int>(); format != kBankExportFormat) {
    Throw(
        fmt::format("the export has format {}, this halftone knows {}: use the halftone that "
                    "wrote it, or a newer one",
                    format, kBankExportFormat));
  }
}

// The number of rows that the last line tells; empty for other lines.
std::optional<std::int64_t> RowsOfEnd(std::string_view text) {
  if (text.size() > kLongestEnd) {
    return std::nullopt;
  }
  const json line = json::parse(text, nullptr, false);
  if (!line.is_object() || line.value("row", json()) != "end" ||
      !line.value("rows", json()).is_number_integer()) {
    return std::nullopt;
  }
  return line.at("rows").get<std::int64_t>();
}

}  // namespace

std::string ExportHeader() {
  return json{{"halftone_bank", "export"}, {"format", kBankExportFormat}}.dump();
}

std::string ExportEnd(std::int64_t rows) {
  return json{{"row", "end"}, {"rows", rows}}.dump();
}

std::optional<BankRecord> ExportReader::Read(std::string_view line) {
  if (ended_) {
    Throw("a line stands behind the end of the export: the file was changed");
  }
  if (!begun_) {
    CheckHeader(line);
    begun_ = true;
    return std::nullopt;
  }
  if (const auto rows = RowsOfEnd(line)) {
    if (*rows != rows_) {
      Throw(fmt::format("the export has {} rows, its last line says {}: the file was changed",
                        rows_, *rows));
    }
    ended_ = true;
    return std::nullopt;
  }
  ++rows_;
  std::variant<BankRecord, UnreadRecord> read = RecordFromJson(line);
  if (const auto* unread = std::get_if<UnreadRecord>(&read)) {
    LeaveOut(unread->kind, unread->why);
    if (unread->workload_key) {
      unread_workloads_.insert(*unread->workload_key);
    }
    return std::nullopt;
  }
  BankRecord& record = std::get<BankRecord>(read);
  if (unread_workloads_.contains(
          std::visit([](const auto& known) { return WorkloadKeyOf(known); }, record))) {
    LeaveOut(record.index(), "its workload is left out");
    return std::nullopt;
  }
  if (const auto* workload = std::get_if<WorkloadRecord>(&record)) {
    Keep(*workload);
  } else if (const auto* trial = std::get_if<TrialRecord>(&record)) {
    Keep(*trial);
  } else if (auto* front = std::get_if<FrontRecord>(&record);
             front != nullptr && !Mend(front->front)) {
    return std::nullopt;
  }
  return std::move(record);
}

void ExportReader::LeaveOut(std::size_t kind, std::string_view why) {
  ++losses_.left_out.at(kind);
  if (losses_.first.empty()) {
    losses_.first = fmt::format("line {}: {}", rows_ + 1, why);  // behind the header
  }
}

void ExportReader::Keep(const WorkloadRecord& record) {
  workload_ = KeyOf(record.workload);
  measured_.clear();
}

void ExportReader::Keep(const TrialRecord& record) {
  const Measurement* measurement = record.trial.measurement();
  if (measurement != nullptr && record.workload_key == workload_) {
    measured_.push_back({.plan = record.trial.plan_digest,
                         .measurement = MeasurementHashOf(record.trial),
                         .confirmed = measurement->confirmed});
  }
}

bool ExportReader::Mend(StoredFront& front) {
  bool mended = false;
  for (FrontMember& member : front.members) {
    const Measured* measured = Find(member);
    if (measured == nullptr) {
      LeaveOut(KindOf<FrontRecord>(), fmt::format("it names plan {}, of which the export holds no "
                                                  "measurement",
                                                  member.plan_digest.ToHex()));
      return false;
    }
    mended |= member.measurement_hash && *member.measurement_hash != measured->measurement;
    member.measurement_hash = measured->measurement;
  }
  losses_.mended_fronts += int{mended};
  return true;
}

const ExportReader::Measured* ExportReader::Find(const FrontMember& member) const {
  const Measured* found = nullptr;
  for (auto measured = measured_.rbegin(); measured != measured_.rend(); ++measured) {
    if (measured->plan != member.plan_digest) {
      continue;
    }
    if (member.measurement_hash == measured->measurement) {
      return &*measured;
    }
    if (found == nullptr || (measured->confirmed && !found->confirmed)) {
      found = &*measured;
    }
  }
  return found;
}

void ExportReader::Finish() const {
  if (!ended_) {
    Throw(begun_ ? "the export is cut short: its last line, {\"row\":\"end\",...}, is missing"
                 : "the export is empty");
  }
}

}  // namespace halftone
