// Where tests find files: the source tree, and the optional collection of real networks.
#pragma once

#include <filesystem>
#include <optional>

namespace halftone::testing {

// The root of the source tree (HALFTONE_SOURCE_DIR, which ctest sets; else the current folder).
std::filesystem::path SourceDir();

// Real networks and conformance cases stand beside the source tree, in ../shared, or where
// HALFTONE_SHARED_DIR says. Empty when they are not there: tests then say SKIPPED.
std::optional<std::filesystem::path> SharedDir();

}  // namespace halftone::testing
