// Model files to tune, from the options --framework, --model and --model_path.
#pragma once

#include <filesystem>
#include <vector>

#include "src/aoe/option_table.h"

namespace halftone {

// Returns the path of --model, or the models in the folder of --model_path, sorted by name. A model
// is an .onnx file or a folder with model.onnx. Error kUsage: neither or both of the options; a
// missing path; a folder without models; a framework that is unknown, is not ONNX, or contradicts
// the suffix of a file.
std::vector<std::filesystem::path> ModelsOf(const ToolCommandLine& line);

}  // namespace halftone
