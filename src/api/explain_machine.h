// Number formats that pay on this machine, by its profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "search/operators/format_times.h"

namespace halftone {

struct MachineQuestion {
  std::filesystem::path bank;  // may hold the profile; empty, or none there: it is measured
  int threads = 1;             // 0: all cores
  std::uint64_t seed = 1;
  std::size_t columns = 80;  // of the table
};

// A table of the formats with their times against float32, and a sentence. Reads the profile of the
// host from the bank where that has it, else measures for 0.1 s and stores nothing. Errors as
// OpenSqliteStore().
std::string ExplainMachine(const MachineQuestion& question);

// The same text for known times. `origin`: their source, such as "measured now".
std::string MachineText(std::span<const FormatTime> times, int threads, const std::string& origin,
                        std::size_t columns);

}  // namespace halftone
