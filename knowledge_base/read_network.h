// Part of a bank that a run on one network can use: of a bank of many networks little is read.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge_base/bank_records.h"

namespace halftone {

struct PartOfNetwork {
  Hash128 model_hash;  // whose workloads and calibrations are read, for this target
  std::string target;
  // Kernels whose timings, profiles and calibrations are read; calibrations of any CPU.
  std::vector<KernelVersion> kernels;
  std::function<bool(std::string_view signature)> wants_timing;
  std::function<bool(std::string_view op, int threads)> wants_profile;
};

// Visits the workloads of the network with their records, the newest timing of each signature and
// the newest profile of each operator that are wanted, and the calibrations that count; all are
// found by indexes. Takes no lock and writes nothing: nobody may write to the file meanwhile
// (SqliteOptions::immutable). Errors as ReadBank().
void ReadPartOfNetwork(const std::filesystem::path& database, const PartOfNetwork& part,
                       const RecordVisitor& visit);

}  // namespace halftone
