// File of -input-list-file (Qualcomm Cloud AI). It has a line for each sample: the raw files of the
// model's inputs in the order of the inputs, separated by commas. Grammar:
// docs/reference/cloud_ai.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halftone {

inline constexpr std::size_t kMostInputListBytes = 16U << 20U;  // 100,000 samples of 160 bytes

// Parses the text of the file named `where`. Returns the paths of each sample as they are written;
// blank lines are skipped. The files are not opened, because only the model says how many there
// must be and how large. Error kUsage, "<where>:<line>: ...": no sample, an empty path, another
// number of files than in the first line, a binary file, more than kMostInputListBytes.
std::vector<std::vector<std::string>> ParseInputList(std::string_view text, std::string_view where);

}  // namespace halftone
