// Records of a bank as lines of JSON: keys sorted, numbers in the shortest text that reads back as
// the same number. docs/internals/bank.md lists the fields.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "knowledge_base/bank_records.h"

namespace halftone {

// {"row":"trial","workload":"...",...,"checksum":"..."}, without a line break. Error kDatabase for
// the name of a node that is not UTF-8.
std::string RecordToJson(const BankRecord& record);

// A record whose form this program does not read: a field is missing or has another type, or names
// something unknown.
struct UnreadRecord {
  std::size_t kind = 0;                 // index of kRecordNames
  std::optional<Hash128> workload_key;  // of a workload
  std::string why;                      // a clause
};

// The inverse of RecordToJson(), also for lines of older programs. These lack fields that came
// later (of workloads `operators` and `cpu`, of measurements `raced`, `other_cores` and `runtime`,
// `values` of metrics, bounds of fronts, `compared` of timings), which are empty then, and have
// sensitivities in an older form; their checksums hold for the line as it is. Error kDatabase: no
// such line, an unknown row, a record that does not match its key or checksum or that no program
// would store.
std::variant<BankRecord, UnreadRecord> RecordFromJson(std::string_view line);

}  // namespace halftone
