#include "src/precision/resolve/check_options.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/precision/resolve/graph_boundary.h"

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

// The training guide lists force_fp16 among the values, so it is accepted there.
void WarnOfInferenceMode(const PrecisionOptions& options, const PrecisionMode& mode,
                         std::vector<std::string>& warnings) {
  if (!mode.for_inference || !IsTraining(options)) {
    return;
  }
  const bool v1 = !options.precision_mode.empty();
  warnings.push_back(fmt::format(
      "{}={} in training: newer guides name it for online inference; for training they have "
      "allow_mix_precision, allow_fp32_to_fp16 and must_keep_origin_dtype",
      v1 ? "--precision_mode" : "--precision_mode_v2",
      v1 ? options.precision_mode : options.precision_mode_v2));
}

}  // namespace

CheckedOptions CheckOptionValues(const PrecisionOptions& options, const TargetSpec& target,
                                 std::vector<std::string>& warnings) {
  const PrecisionMode& mode = EffectiveMode(options, target);
  WarnOfInferenceMode(options, mode, warnings);
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
