// Shell script that compiles a point with ATC (atc.sh in the folder of the point).
#pragma once

#include <filesystem>
#include <string>

#include "src/precision/files/write_files.h"
#include "src/target/target_spec.h"

namespace halftone {

// Text of a script that compiles `model` (an .onnx file, or a folder with model.onnx) with ATC in
// the precision of `files`. The script runs in any working directory, and expects the files in its
// own folder. The environment variables MODEL and OUTPUT replace the paths of the network and of
// the result; arguments of the script are passed to ATC. Empty for a target that ATC does not know:
// the host, and a target from a file of the user.
std::string AtcScript(const OptionFiles& files, const TargetSpec& target,
                      const std::filesystem::path& model);

}  // namespace halftone
