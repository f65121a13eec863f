// A result file for the screen: --read_result.
#pragma once

#include <cstddef>
#include <string>

#include "src/aoe/result_file.h"

namespace halftone {

// Of each model: its latency before and after, the operators whose bank entry changed, the longest
// before first, and the counts of operators. `columns`: width of the text.
std::string AoeResultText(const AoeResultFile& file, std::size_t columns);

}  // namespace halftone
