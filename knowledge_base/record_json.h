// Records of a bank as lines of JSON: keys sorted, numbers in the shortest text that reads back as
// the same number. docs/internals/bank.md lists the fields.
#pragma once

#include <string>
#include <string_view>

#include "knowledge_base/bank_records.h"

namespace halftone {

// {"row":"trial","workload":"...",...,"checksum":"..."}, without a line break. Error kDatabase for
// the name of a node that is not UTF-8.
std::string RecordToJson(const BankRecord& record);

// The inverse of RecordToJson(). Error kDatabase: no such line, an unknown row, a field that is
// missing or has another type, a record that does not match its checksum.
BankRecord RecordFromJson(std::string_view line);

}  // namespace halftone
