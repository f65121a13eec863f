// Implementation modes: the choice of the algorithm of an operator, independent of its dtypes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "src/base/enum_table.h"

namespace halftone {

enum class ImplMode : std::uint8_t {
  kDefault,
  kHighPrecision,
  kHighPerformance,
  kEnableFloat32Execution,
  kEnableHiFloat32Execution,
  kSupportOutOfBoundIndex,
  kKeepFp16,
  kSuperPerformance,
  kNormClass,
};

// Names in files of --op_precision_mode. `default` is a name of halftone, for operators with one
// implementation.
inline constexpr EnumRow<ImplMode> kImplModes[] = {
    {ImplMode::kDefault, "default", "the only implementation, or the default one"},
    {ImplMode::kHighPrecision, "high_precision", "the more exact algorithm"},
    {ImplMode::kHighPerformance, "high_performance", "the fastest algorithm"},
    {ImplMode::kEnableFloat32Execution, "enable_float_32_execution",
     "float32 inside matrix operators"},
    {ImplMode::kEnableHiFloat32Execution, "enable_hi_float_32_execution",
     "HF32 inside matrix operators"},
    {ImplMode::kSupportOutOfBoundIndex, "support_out_of_bound_index",
     "the kernel checks its indices"},
    {ImplMode::kKeepFp16, "keep_fp16", "known to the parser; no public list of users"},
    {ImplMode::kSuperPerformance, "super_performance",
     "known to the parser; no public list of users"},
    {ImplMode::kNormClass, "norm_class", "known to the parser; no public list of users"},
};

constexpr std::string_view NameOf(ImplMode mode) {
  return NameIn(kImplModes, mode);
}

}  // namespace halftone
