// Command line of a command as the user gave it, for reports.
#pragma once

#include <string>

#include "src/cli/parser_classes.h"

namespace halftone {

// "halftone tune --model=m.onnx --no_bank"
std::string CommandLine(const CLI::App& app);

}  // namespace halftone
