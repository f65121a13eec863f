// Built-in targets, from the files in src/target/specs. The target `host` is none of them: it is
// derived from the kernel table (src/exec/host_target.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/target/target_file.h"

namespace halftone {

// Returns the names of families, "ascend310", ..., in the order of src/target/CMakeLists.txt. A
// family is a target file with SoC versions.
std::vector<std::string_view> TargetFamilies();

// Returns the SoC versions of all families, family by family: values of --soc_version.
std::vector<std::string> SocVersions();

// Returns the target file of a family; null: there is none.
const TargetFile* FindFamily(std::string_view family);

// Returns the target file with this SoC version, with exact case, as ATC requires; null: there is
// none.
const TargetFile* FindSocVersion(std::string_view soc_version);

// Parses a target file of the user. It may inherit from a built-in file, must have a name that no
// built-in target has, and has no soc_versions. `path` names the file in messages. Error kUsage.
TargetFile ParseOwnTargetFile(std::string_view text, std::string_view path);

}  // namespace halftone
