// A record of a bank as one line of JSON: keys sorted, numbers in the shortest form that reads back
// as the same number. docs/knowledge_base.md lists the fields.
#pragma once

#include <string>
#include <string_view>

#include "knowledge_base/bank_records.h"

namespace halftone {

// {"row":"trial","workload":"...",...,"checksum":"..."}, without the end of the line. Error
// kDatabase for the name of a node that is not UTF-8.
std::string RecordToJson(const BankRecord& record);

// The inverse. Error kDatabase: no such line, a row that is not known, a field that is missing or
// has another type, a record that does not match its checksum.
BankRecord RecordFromJson(std::string_view line);

}  // namespace halftone
