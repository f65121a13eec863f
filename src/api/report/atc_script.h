// atc.sh: the command line of ATC for a point, ready to run.
#pragma once

#include <filesystem>
#include <string>

#include "src/precision/files/write_files.h"
#include "src/target/target_spec.h"

namespace halftone {

// A shell script that compiles `model` (an .onnx file, or a folder that holds model.onnx) with ATC
// in the precision of `files`, from any working directory: the files stand beside the script. The
// environment variables MODEL and OUTPUT replace the paths, further arguments go to ATC. Empty for
// a target that ATC does not know: the host, and one of the user's own file.
std::string AtcScript(const OptionFiles& files, const TargetSpec& target,
                      const std::filesystem::path& model);

}  // namespace halftone
