// LoadPrecision() without the rule on the characters of paths: for paths joined from an option
// folder and the file names in it.
#pragma once

#include "src/api/halftone.h"

namespace halftone {

LoadedPrecision ReadPrecision(const PrecisionArguments& arguments, const TargetSpec& target);

}  // namespace halftone
