// Folders with files for tests: the source tree, and the optional collection of real networks.
#pragma once

#include <filesystem>
#include <optional>

namespace halftone::testing {

// The root of the source tree (HALFTONE_SOURCE_DIR, which ctest sets; else the current folder).
std::filesystem::path SourceDir();

// The folder of real networks and conformance cases: ../shared beside the source tree, or
// HALFTONE_SHARED_DIR. Empty if there is no such folder; tests are then skipped.
std::optional<std::filesystem::path> SharedDir();

}  // namespace halftone::testing
