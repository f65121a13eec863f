// What a message offers in place of a name that nothing has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// "; close: conv1, conv2": the candidates that are spelled nearly so or contain the word; else ";
// it has a, b, c and 9 more"; empty without candidates.
std::string NamesHint(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace halftone
