// LoadPrecision() without its check of the characters in paths, for paths below an option folder,
// whose name may have any characters.
#pragma once

#include "src/api/halftone.h"

namespace halftone {

LoadedPrecision ReadPrecision(const PrecisionArguments& arguments, const TargetSpec& target);

}  // namespace halftone
