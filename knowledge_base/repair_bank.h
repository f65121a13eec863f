// Repair of fronts that name measurements which were never stored: before schema 8 a search that
// was interrupted and run again left such fronts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halftone {

// Makes each such member refer to FindStandIn() (knowledge_base/front_trials.h), in one
// transaction: the front keeps its time, its choice and everything else, and gets a new id. Members
// stored before schema 8 get the row they mean. A member whose plan has no measured trial stays:
// VerifyBank() finds it. Returns a sentence for each changed front. Errors as OpenSqliteStore() for
// reading and writing, and kDatabase for rows that do not match their checksum; nothing is changed
// then.
std::vector<std::string> RepairBank(const std::filesystem::path& database);

}  // namespace halftone
