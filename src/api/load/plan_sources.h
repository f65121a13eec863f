// Sources of a plan besides the network and the precision options: the target and the input shapes,
// as arguments and copies of the files that these name. With them an option folder needs no other
// file.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/api/halftone.h"
#include "src/precision/files/write_files.h"

namespace halftone {

// Names in an option folder: the subfolder with the files of --ops_info, and the target file.
inline constexpr std::string_view kOpsInfoFolder = "ops_info";
inline constexpr std::string_view kTargetFile = "target.ini";

// True for a --soc_version that is the path of a target file: it ends in ".ini" or has a "/".
bool IsTargetFile(std::string_view soc_version);

// Returns the arguments "--soc_version=Ascend310P3", "--ops_info=ops_info" and, for each shape of
// `models` (one network), "--input_shape=x:1,3,224,224", with copies of the files. `target` is
// LoadTarget(options). Leaves out --soc_version if the user gave only --ops_info, whose file names
// tell the target, and --input_shape if its format cannot express the name of an input. Errors as
// LoadTarget(); kIo.
OptionFiles PlanSourcesOf(const TargetOptions& options, const TargetSpec& target,
                          std::span<const Model> models);

// Joins two option sets: the arguments of `sources`, then those of `files`, and the files of both.
OptionFiles Joined(const OptionFiles& sources, const OptionFiles& files);

}  // namespace halftone
