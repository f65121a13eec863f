// How much memory a process may have at all: what needs more can be refused before it is tried.
#pragma once

#include <cstdint>
#include <filesystem>

namespace halftone {

// The least of: memory and swap space of the machine, the limit of the control group (a container),
// RLIMIT_AS (ulimit -v). What others use is not taken off. 0: unknown. `root`: the folder above
// proc and sys; tests have their own.
std::int64_t MachineMemoryBytes(const std::filesystem::path& root = "/");

}  // namespace halftone
