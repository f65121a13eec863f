// The file of -input-list-file (Qualcomm Cloud AI): a line for each sample, with the raw files of
// the model's inputs, in their order, separated by commas. Grammar: docs/reference/cloud_ai.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halftone {

inline constexpr std::size_t kMostInputListBytes = 16U << 20U;  // 100,000 samples of 160 bytes

// By sample, the paths as they stand in the file. Blank lines do not count. Files are not opened:
// how many and how large they have to be is known with the model. Error kUsage,
// "<where>:<line>: ...": no sample, an empty path, another number of files than in the first line,
// a binary file, too large a file.
std::vector<std::vector<std::string>> ParseInputList(std::string_view text, std::string_view where);

}  // namespace halftone
