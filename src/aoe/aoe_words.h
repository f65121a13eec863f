// Messages of a job in the options that `halftone aoe` has.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// The sentence; an option of other commands that it names, and that decides nothing in `aoe`, is
// said to be of `halftone tune`: "--draw_samples=0" becomes "halftone tune --draw_samples=0".
std::string InWordsOfAoe(std::string_view sentence);

}  // namespace halftone
