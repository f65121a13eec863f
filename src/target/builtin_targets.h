// Built-in targets by name, from src/target/specs. `host` is not among them: it is derived from the
// kernel table (src/exec/host_target).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/target/target_file.h"

namespace halftone {

// Names of the target files of SoC families, in the order of src/target/CMakeLists.txt:
// "ascend310", ...
std::vector<std::string_view> TargetFamilies();

// All values of --soc_version but `host`, by family.
std::vector<std::string> SocVersions();

// The target file of a family; null when there is none.
const TargetFile* FindFamily(std::string_view family);

// The target file with this SoC version; null when there is none. Exact case, as ATC requires.
const TargetFile* FindSocVersion(std::string_view soc_version);

// Parses a target file of the user, which may inherit from a built-in one and must have its own
// name. Error kUsage.
TargetFile ParseOwnTargetFile(std::string_view text, std::string_view path);

}  // namespace halftone
