// Result files as text for the screen: --read_result.
#pragma once

#include <cstddef>
#include <string>

#include "src/aoe/result_file.h"

namespace halftone {

// Text of a result file, for each model: its latency before and after, the operators whose bank
// entry changed, slowest first, and the counts of operators. `columns`: width of the text.
std::string AoeResultText(const AoeResultFile& file, std::size_t columns);

}  // namespace halftone
