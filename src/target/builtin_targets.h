// The targets that halftone knows by name, from src/target/specs. `host` is not among them: it is
// derived from the kernel table (src/exec/host_target).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/target/target_file.h"

namespace halftone {

// Names of the target files that stand for SoCs, in the order of the list in
// src/target/CMakeLists.txt: "ascend310", ...
std::vector<std::string_view> TargetFamilies();

// All values of --soc_version but `host`, by family.
std::vector<std::string> SocVersions();

// The file of a family; null when there is none.
const TargetFile* FindFamily(std::string_view family);

// The file that has this SoC version; null when there is none. Exact case, as ATC wants it.
const TargetFile* FindSocVersion(std::string_view soc_version);

// A target file of the user's, which may inherit from a built-in one and must have a name of its
// own. Error kUsage.
TargetFile ParseOwnTargetFile(std::string_view text, std::string_view path);

}  // namespace halftone
