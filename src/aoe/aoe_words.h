// Messages of a job in terms of the options of `halftone aoe`.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// Returns the sentence with "halftone tune " before each option that `halftone aoe` lacks, refuses
// or ignores: "--draw_samples=0" becomes "halftone tune --draw_samples=0".
std::string InWordsOfAoe(std::string_view sentence);

}  // namespace halftone
