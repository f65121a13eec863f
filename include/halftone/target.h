// Targets: the machine, device or runtime for which a network is tuned.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halftone {

struct TargetOptions {
  // --soc_version: "host" (also when empty), a name of TargetNames(), or the path of a target file
  // (docs/reference/targets.md).
  std::string soc_version;
  // --ops_info: operator library of an Ascend installation, a file or a folder. It replaces the
  // library that halftone has for the device. Without soc_version, the names of its files give the
  // device. Empty or "builtin": the library of halftone. Tune() and others do not look for an
  // installation; FindLibrary() does.
  std::filesystem::path ops_info;

  [[nodiscard]] bool has_library() const { return !ops_info.empty() && ops_info != "builtin"; }
};

// Returns "host", the SoC versions of all devices that halftone knows, and the names of runtimes
// that read QDQ files.
std::vector<std::string> TargetNames();

// Result of FindLibrary().
struct FoundLibrary {
  std::filesystem::path ops_info;  // for TargetOptions::ops_info; empty: the library of halftone
  std::string note;                // says which library is used, and how it was found; may be empty
  std::string warning;  // says why a library that a variable names is not used; may be empty
};

// Looks for the operator library of an Ascend device: first TargetOptions::ops_info, then the
// environment variable HALFTONE_OPS_INFO, then an Ascend installation on this machine
// (docs/reference/targets.md). Returns TargetOptions::ops_info unchanged for other targets, and for
// the path of a target file.
FoundLibrary FindLibrary(const TargetOptions& options);

}  // namespace halftone
