// Records of a bank as lines of JSON. Keys are sorted, and a number has the shortest text that
// reads back as the same number. docs/internals/bank.md lists the fields.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "knowledge_base/bank_records.h"

namespace halftone {

// One JSON object, such as {"candidate":{...},...,"row":"trial","workload":"..."}, without a line
// break. A text that is not UTF-8, such as the name of a node, is {"hex":"..."} (text_json.h).
// Error kDatabase if such a text is the name of a provenance fact, or in
// PrecisionOptions::modify_mixlist.
std::string RecordToJson(const BankRecord& record);

// Record whose layout this program does not read: a field is missing, has another type, or has a
// value that is unknown.
struct UnreadRecord {
  std::size_t kind = 0;                 // index of kRecordNames
  std::optional<Hash128> workload_key;  // key of a workload; empty for other kinds
  std::string why;                      // a clause
};

// The inverse of RecordToJson(), also for lines of older programs.
//
// Older lines lack fields that were introduced later: `operators` of workloads; `cpu` of
// workloads, timings and profiles; `raced`, `other_cores` and `runtime` of measurements; `values`
// of metrics; bounds of fronts; `compared` of timings. A missing field becomes empty, except
// `raced`, which follows from the checksum. Older sensitivities have schema 1
// (sensitivity_json.h). Checksums are those of the line as it is written.
//
// Error kDatabase: not a line of an export, an unknown value of "row", a record that does not match
// its key or checksum, or one with a FlawOf() (storable.h).
std::variant<BankRecord, UnreadRecord> RecordFromJson(std::string_view line);

}  // namespace halftone
