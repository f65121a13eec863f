// Checks of precision options before a file or a graph is read: legal values, and options that
// exclude each other.
#pragma once

#include <string>
#include <vector>

#include "src/precision/precision_options.h"
#include "src/precision/resolve/impl_mode_choice.h"
#include "src/precision/resolve/modes.h"
#include "src/target/target_spec.h"

namespace halftone {

struct CheckedOptions {
  const PrecisionMode* mode;
  ImplModeRequests requests;  // points into the options
  bool clip_weights;
  bool record_overflow;
};

// Errors: those of EffectiveMode(), CheckImplModeOptions() and CheckOutputType(); kUsage with
// E10005 for --is_weight_clip and --status_check other than 0 and 1. Options that do not count are
// noted in `warnings`.
CheckedOptions CheckOptionValues(const PrecisionOptions& options, const TargetSpec& target,
                                 std::vector<std::string>& warnings);

// --modify_mixlist belongs to the mixed modes; the default mode is none of them. Error kUsage
// E10001.
void RequireMixedMode(const PrecisionMode& mode);

}  // namespace halftone
