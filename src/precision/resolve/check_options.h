// Checks of precision options that need no graph: illegal values, and options that exclude each
// other.
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

// Checks the values and appends full sentences about ignored options to `warnings`. Errors as
// EffectiveMode(), CheckImplModeOptions() and CheckOutputType(). Error kUsage E10005 also:
// --is_weight_clip or --status_check is neither 0 nor 1.
CheckedOptions CheckOptionValues(const PrecisionOptions& options, const TargetSpec& target,
                                 std::vector<std::string>& warnings);

// Error kUsage E10001: `mode` is no mixed mode, so that --modify_mixlist is illegal.
void RequireMixedMode(const PrecisionMode& mode);

}  // namespace halftone
