#include "src/precision/check_options.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/precision/graph_boundary.h"

namespace halftone {
namespace {

// A boolean-like option.
bool ZeroOneOption(std::string_view name, const std::string& value, bool otherwise) {
  if (value.empty()) {
    return otherwise;
  }
  if (value != "0" && value != "1") {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("E10005: {} has the value '{}', which is neither 0 nor 1", name, value));
  }
  return value == "1";
}

}  // namespace

CheckedOptions CheckOptionValues(const PrecisionOptions& options, const TargetSpec& target,
                                 std::vector<std::string>& warnings) {
  const PrecisionMode& mode = EffectiveMode(options, target);
  ImplModeRequests requests = CheckImplModeOptions(options, target, warnings);
  CheckOutputType(options.output_type);
  return {.mode = &mode,
          .requests = std::move(requests),
          .clip_weights = ZeroOneOption("--is_weight_clip", options.is_weight_clip, true),
          .record_overflow = ZeroOneOption("--status_check", options.status_check, false)};
}

void RequireMixedMode(const PrecisionMode& mode) {
  if (!mode.mixed_dtype) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("E10001: --modify_mixlist is given, but the precision mode is {}, which "
                    "has no lists; add --precision_mode=allow_mix_precision or "
                    "--precision_mode_v2=mixed_float16",
                    mode.label()));
  }
}

}  // namespace halftone
