// Report of the number formats that are faster than float32 on this machine, by its profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "search/operators/format_times.h"

namespace halftone {

struct MachineQuestion {
  std::filesystem::path bank;  // source of a stored profile; empty: none
  int threads = 1;             // 0: all cores
  std::uint64_t seed = 1;
  std::size_t columns = 80;  // width of the table
};

// Returns a table of the formats with their times relative to float32, and a sentence that says
// which formats pay. Reads the profile of the host from the bank; if the bank has none, measures it
// for at most 0.1 s and stores nothing. Errors as OpenSqliteStore().
std::string ExplainMachine(const MachineQuestion& question);

// Returns the same text for given times. `origin` names their source: "measured now".
std::string MachineText(std::span<const FormatTime> times, int threads, const std::string& origin,
                        std::size_t columns);

}  // namespace halftone
