// Text of a result file for the screen (--read_result).
#pragma once

#include <cstddef>
#include <string>

#include "src/aoe/result_file.h"

namespace halftone {

// Text with a section for each model: latency before and after tuning, the operators whose bank
// entries changed (slowest before tuning first), and the numbers of operators. `columns`: width of
// the text.
std::string AoeResultText(const AoeResultFile& file, std::size_t columns);

}  // namespace halftone
