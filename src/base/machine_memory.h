// Greatest memory that this process may have; larger requests are refused before allocation.
#pragma once

#include <cstdint>
#include <filesystem>

namespace halftone {

// Returns the least of three sizes in bytes: memory and swap space of the machine, the limit of the
// control group (of a container), and RLIMIT_AS (ulimit -v). Memory that other processes use is not
// subtracted. 0: unknown. `root`: the folder that holds proc and sys; tests pass their own.
std::int64_t MachineMemoryBytes(const std::filesystem::path& root = "/");

}  // namespace halftone
