// Messages of a job in the options that `halftone aoe` has.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// Sentence in which an option that `aoe` lacks, or refuses, is named as one of `halftone tune`:
// "--draw_samples=0" becomes "halftone tune --draw_samples=0".
std::string InWordsOfAoe(std::string_view sentence);

}  // namespace halftone
