// Target: the machine or device that a network is tuned for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halftone {

struct TargetOptions {
  // --soc_version: "host" (also when empty), a name of TargetNames(), or the path of a target file
  // (docs/reference/targets.md).
  std::string soc_version;
  // --ops_info: an op library of an Ascend installation, or a folder with some; replaces the op
  // libraries of the target. Without soc_version, file names give the family. "builtin" is that of
  // halftone, as if empty; FindLibrary() looks for an installation.
  std::filesystem::path ops_info;

  [[nodiscard]] bool has_library() const { return !ops_info.empty() && ops_info != "builtin"; }
};

// "host", every SoC version that halftone knows, and the destinations of QDQ files.
std::vector<std::string> TargetNames();

// Operator library of a device where TargetOptions::ops_info names none: that of
// HALFTONE_OPS_INFO, else of the Ascend installation on this machine
// (docs/reference/targets.md).
struct FoundLibrary {
  std::filesystem::path ops_info;  // for TargetOptions; empty: the built-in one
  std::string note;                // which was found and by what, one sentence; empty: none
  std::string warning;             // why the library that a variable names is not used; empty: none
};

// `ops_info` unchanged where it names one, and for targets without Ascend's tools.
FoundLibrary FindLibrary(const TargetOptions& options);

}  // namespace halftone
