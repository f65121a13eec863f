// Names that a message suggests in place of an unknown one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// "; close: conv1, conv2": the candidates that are spelled nearly so or contain the word; else ";
// it has a, b, c and 9 more"; empty without candidates.
std::string NamesHint(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace halftone
