// Inputs of a plan besides precision options and network content: target and input shapes, as
// arguments that name copies of their files. A folder with them is complete.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/api/halftone.h"
#include "src/precision/files/write_files.h"

namespace halftone {

// Paths in the folder of an option set: files of --ops_info with their folders, and a target file.
inline constexpr std::string_view kOpsInfoFolder = "ops_info";
inline constexpr std::string_view kTargetFile = "target.ini";

// True for a --soc_version that is the path of a target file.
bool IsTargetFile(std::string_view soc_version);

// Arguments "--soc_version=Ascend310P3", "--ops_info=ops_info", "--input_shape=x:1,3,224,224" for
// each shape of `models` (one network), with their files. --soc_version is left out where the names
// of the files of --ops_info tell the family, --input_shape where its format cannot express the
// name of an input. `target` is what LoadTarget(options) gave. Errors as LoadTarget().
OptionFiles PlanSourcesOf(const TargetOptions& options, const TargetSpec& target,
                          std::span<const Model> models);

// `files` with the arguments of `sources` in front of its own, and their files.
OptionFiles Joined(const OptionFiles& sources, const OptionFiles& files);

}  // namespace halftone
