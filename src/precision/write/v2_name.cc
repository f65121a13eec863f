#include "src/precision/write/v2_name.h"

#include "src/precision/resolve/modes.h"

namespace halftone {

PrecisionOptions WithV2Name(PrecisionOptions options) {
  const PrecisionMode* const mode = FindPrecisionMode(options.precision_mode);
  if (mode != nullptr && !mode->v2_name.empty()) {
    options.precision_mode.clear();
    options.precision_mode_v2 = mode->v2_name;
  }
  return options;
}

}  // namespace halftone
