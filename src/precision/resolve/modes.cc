// Source of names and rules: ATC Instructions, --precision_mode and --precision_mode_v2, and the
// published behaviour of the graph engine; docs/reference/modes.md has the resulting truth tables.
#include "src/precision/resolve/modes.h"

#include <fmt/format.h>

#include <vector>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kNoHif8Rules =
    "there are no public column rules for HiFloat8, so halftone cannot resolve this mode";

constexpr PrecisionMode kModes[] = {
    {.name = "force_fp16",
     .v2_name = "fp16",
     .meaning = "float16 wherever the operator has it",
     .rule = "rise to F16",
     .for_inference = true,
     .rules_without_kernel_file = true,
     .to_float16 = Lowering::kAlways,
     .to_bfloat16 = Lowering::kAlways,
     .forbidden = ForbiddenDType{DType::kBFloat16, true},
     .narrow = NarrowForceFp16},
    {.name = "force_fp32",
     .alias = "cube_fp16in_fp32out",
     .v2_name = "cube_fp16in_fp32out",
     .meaning = "float32; matrix operators float16 in and float32 out where they can",
     .rule = "first input of a cube operator that has F16 in and F32 out: rise to F16; else rise "
             "to F32, else reduce from F32",
     .to_float16 = Lowering::kUnlessBlack,
     .to_bfloat16 = Lowering::kUnlessBlack,
     .forbidden = ForbiddenDType{DType::kBFloat16, true},
     .narrow = NarrowForceFp32,
     .cube_refusal = ForceFp32CubeRefusal},
    {.name = "allow_fp32_to_fp16",
     .meaning = "the original dtype; float16 in matrix operators and where there is no float32",
     .rule = "rise to o (cube and o = F32: to F16), else reduce; once an F32 tensor of the node "
             "was reduced, its later tensors follow force_fp16",
     .to_float16 = Lowering::kAlways,
     .forbidden = ForbiddenDType{DType::kBFloat16, false},
     .narrow = NarrowAllowFp32ToFp16},
    {.name = "must_keep_origin_dtype",
     .v2_name = "origin",
     .meaning = "the original dtype, never lowered",
     .rule = "rise to o",
     .keeps_origin = true,
     .narrow = NarrowKeepOrigin},
    {.name = "allow_mix_precision",
     .alias = "allow_mix_precision_fp16",
     .v2_name = "mixed_float16",
     .meaning = "by list: white float16, black the original dtype, gray as its producer",
     .rule = "by list: white half, preferring F16; black rise to o; gray as its producer, else as "
             "allow_fp32_to_fp16",
     .mixed_dtype = DType::kFloat16,
     .to_float16 = Lowering::kUnlessBlack,
     .forbidden = ForbiddenDType{DType::kBFloat16, false},
     .narrow = NarrowMixFp16},
    {.name = "allow_mix_precision_bf16",
     .v2_name = "mixed_bfloat16",
     .meaning = "by list: white bfloat16, black the original dtype, gray as its producer",
     .rule =
         "by list: white half; black rise to o; gray as its producer, else as allow_fp32_to_bf16",
     .needs_bfloat16 = true,
     .mixed_dtype = DType::kBFloat16,
     .to_bfloat16 = Lowering::kUnlessBlack,
     .forbidden = ForbiddenDType{DType::kFloat16, false},
     .narrow = NarrowMixBf16},
    {.name = "allow_fp32_to_bf16",
     .meaning = "the original dtype; bfloat16 where there is no float32",
     .rule = "rise to o, else reduce",
     .needs_bfloat16 = true,
     .to_bfloat16 = Lowering::kAlways,
     .forbidden = ForbiddenDType{DType::kFloat16, false},
     .narrow = NarrowAllowFp32ToBf16},
    {.v2_name = "cube_hif8",
     .meaning = "HiFloat8 in matrix operators; refused",
     .needs_hifloat8 = true,
     .refusal = kNoHif8Rules},
    {.v2_name = "mixed_hif8",
     .meaning = "HiFloat8 in trustlist operators; refused",
     .needs_hifloat8 = true,
     .refusal = kNoHif8Rules},
};

std::vector<std::string> V1Values() {
  std::vector<std::string> values;
  for (const PrecisionMode& mode : kModes) {
    for (const std::string_view value : {mode.name, mode.alias}) {
      if (!value.empty()) {
        values.emplace_back(value);
      }
    }
  }
  return values;
}

std::vector<std::string> V2Values() {
  std::vector<std::string> values;
  for (const PrecisionMode& mode : kModes) {
    if (!mode.v2_name.empty()) {
      values.emplace_back(mode.v2_name);
    }
  }
  return values;
}

struct ModeOption {
  std::string_view name;
  std::string_view other_name;
  const PrecisionMode* (*find)(std::string_view);
  const PrecisionMode* (*find_in_other)(std::string_view);
  std::vector<std::string> (*values)();
};

constexpr ModeOption kV1{"--precision_mode", "--precision_mode_v2", FindPrecisionMode,
                         FindPrecisionModeV2, V1Values};
constexpr ModeOption kV2{"--precision_mode_v2", "--precision_mode", FindPrecisionModeV2,
                         FindPrecisionMode, V2Values};

const PrecisionMode& ModeOf(const ModeOption& option, const std::string& value,
                            const TargetSpec& target) {
  const PrecisionMode* mode = option.find(value);
  if (mode == nullptr) {
    std::string hint;
    if (option.find_in_other(value) != nullptr) {
      hint = fmt::format("; it is a value of {}", option.other_name);
    } else if (const auto near = ClosestNames(value, option.values()); !near.empty()) {
      hint = fmt::format("; did you mean {}?", near.front());
    }
    throw Error(ErrorKind::kUsage,
                fmt::format("E10001: {} has the value '{}', which is none of: {}{}", option.name,
                            value, Join(option.values(), ", "), hint));
  }
  if (mode->needs_hifloat8 && !target.has_hifloat8) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}={}: current soc does not support HiFloat8 (soc_version {}), and there "
                    "are no public column rules for it; use a "
                    "float16 or bfloat16 mode",
                    option.name, value, target.name));
  }
  if (mode->narrow == nullptr) {
    throw Error(ErrorKind::kUnsupported, fmt::format("{}={}: {}; use {}=mixed_float16 or another",
                                                     option.name, value, mode->refusal, kV2.name));
  }
  if (mode->needs_bfloat16 && !target.has_bfloat16) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}={}: current soc does not support BFloat16 (soc_version {}); use a "
                            "float16 mode",
                            option.name, value, target.name));
  }
  return *mode;
}

}  // namespace

std::optional<DType> PrecisionMode::ForbiddenFor(DType original) const {
  if (!forbidden || (!forbidden->even_if_original && original == forbidden->dtype)) {
    return std::nullopt;
  }
  return forbidden->dtype;
}

std::span<const PrecisionMode> AllPrecisionModes() {
  return kModes;
}

const PrecisionMode* FindPrecisionMode(std::string_view v1_value) {
  for (const PrecisionMode& mode : kModes) {
    if (!v1_value.empty() && (mode.name == v1_value || mode.alias == v1_value)) {
      return &mode;
    }
  }
  return nullptr;
}

const PrecisionMode* FindPrecisionModeV2(std::string_view v2_value) {
  for (const PrecisionMode& mode : kModes) {
    if (!v2_value.empty() && mode.v2_name == v2_value) {
      return &mode;
    }
  }
  return nullptr;
}

std::string PrecisionModeNames() {
  return Join(V1Values(), ", ");
}

std::string PrecisionModeV2Names() {
  return Join(V2Values(), ", ");
}

bool IsTraining(const PrecisionOptions& options) {
  const std::string& value = options.graph_run_mode;
  if (!value.empty() && value != "0" && value != "1") {
    throw Error(ErrorKind::kUsage,
                fmt::format("E10001: --graph_run_mode has the value '{}', which is neither 0 "
                            "(inference) nor 1 (training)",
                            value));
  }
  return value == "1";
}

const PrecisionMode& EffectiveMode(const PrecisionOptions& options, const TargetSpec& target) {
  if (!options.precision_mode.empty() && !options.precision_mode_v2.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("E10056: --precision_mode={} and --precision_mode_v2={} exclude each "
                            "other; give one of them",
                            options.precision_mode, options.precision_mode_v2));
  }
  const bool training = IsTraining(options);
  if (!options.precision_mode.empty()) {
    return ModeOf(kV1, options.precision_mode, target);
  }
  if (!options.precision_mode_v2.empty()) {
    return ModeOf(kV2, options.precision_mode_v2, target);
  }
  if (training) {
    // The host and targets of users may have no default of their own: nothing is lowered unless it
    // is asked for.
    return ModeOf(kV1,
                  target.training_mode.empty() ? "must_keep_origin_dtype" : target.training_mode,
                  target);
  }
  return ModeOf(kV1, "force_fp16", target);
}

}  // namespace halftone
