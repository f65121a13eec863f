// Memory that this process may have at most: a larger demand is refused before it is tried.
#pragma once

#include <cstdint>
#include <filesystem>

namespace halftone {

// Minimum of: memory and swap space of the machine, the limit of the control group (a container),
// RLIMIT_AS (ulimit -v). Memory that other processes use is not subtracted. 0: unknown. `root`: the
// folder above proc and sys; tests have their own.
std::int64_t MachineMemoryBytes(const std::filesystem::path& root = "/");

}  // namespace halftone
