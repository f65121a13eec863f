// Reader of the part of a bank that a run on one network can use. Of a bank with many networks it
// reads little.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge_base/bank_records.h"

namespace halftone {

struct PartOfNetwork {
  Hash128 model_hash;  // network whose workloads and calibrations are read
  std::string target;  // target of the workloads that are read
  // Versions of kernels whose timings, profiles and calibrations are read. The CPU does not count
  // for calibrations.
  std::vector<KernelVersion> kernels;
  // True for a signature whose timing is read.
  std::function<bool(std::string_view signature)> wants_timing;
  // True for an operator and a number of threads whose profile is read.
  std::function<bool(std::string_view op, int threads)> wants_profile;
};

// Visits the workloads of the network and target with their records. Then, for each of the
// `kernels`, visits the newest timing of each wanted signature, and the newest profile of each
// wanted operator and number of threads. Last come the calibrations of the network that count for
// their key (TrialStore::AddCalibration()), as far as they are of these kernels. Indexes find all
// of them.
//
// Takes no lock and writes nothing, so nobody may write to the file meanwhile
// (SqliteOptions::immutable). Errors as ReadBank(), and kDatabase for a bank that is in use.
void ReadPartOfNetwork(const std::filesystem::path& database, const PartOfNetwork& part,
                       const RecordVisitor& visit);

}  // namespace halftone
