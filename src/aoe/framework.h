// --framework, --model and --model_path: the tuned files.
#pragma once

#include <filesystem>
#include <vector>

#include "src/aoe/option_table.h"

namespace halftone {

// Errors kUsage: neither or both of --model and --model_path, a missing path, no model in a folder,
// a framework other than ONNX, a framework that contradicts a suffix.
std::vector<std::filesystem::path> ModelsOf(const ToolCommandLine& line);

}  // namespace halftone
