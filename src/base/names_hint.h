// Suggestions for an unknown name in a message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Returns "; close: conv1, conv2" with up to 8 candidates that are spelled similarly to `word` or
// contain it. If there are none, returns the first 8 candidates and the number of others: "; it has
// a, b, c, d, e, f, g, h and 9 more". Empty without candidates.
std::string NamesHint(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace halftone
