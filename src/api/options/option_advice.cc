#include "src/api/options/option_advice.h"

#include <fmt/format.h>

#include <vector>

#include "src/base/text.h"
#include "src/precision/resolve/modes.h"

namespace halftone {

std::string OptionAdvice(const PrecisionArguments& typed) {
  std::vector<std::string> advice;
  const PrecisionMode* const mode = FindPrecisionMode(typed.precision_mode);
  if (mode != nullptr && !mode->v2_name.empty()) {
    advice.push_back(fmt::format("--precision_mode_v2={} in place of --precision_mode={}",
                                 mode->v2_name, typed.precision_mode));
  }
  // --op_select_implmode has no effect beside a file of --op_precision_mode, and a warning says so.
  if (!typed.op_select_implmode.empty() && typed.op_precision_mode.empty()) {
    advice.emplace_back(
        "--op_precision_mode=FILE in place of --op_select_implmode, which is deprecated and for "
        "debugging only");
  }
  return advice.empty() ? "" : fmt::format("the guide advises {}", Join(advice, ", and "));
}

}  // namespace halftone
