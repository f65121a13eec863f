// The implementation modes that --op_select_implmode and --allow_hf32 stand for, by IR type: what
// the compiler keeps in ini files of its installation. Ours are src/precision/impl_modes/*.ini,
// compiled in; a file of the same form can be given to --op_precision_mode.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/enum_table.h"
#include "src/ir/impl_mode.h"

namespace halftone {

enum class BuiltinImplModes : std::uint8_t {
  kHighPerformance,
  kHighPrecision,
  kHighPerformanceForAll,
  kHighPrecisionForAll,
};

// Values of --op_select_implmode; the first is in force when nothing is said.
inline constexpr EnumRow<BuiltinImplModes> kBuiltinImplModes[] = {
    {BuiltinImplModes::kHighPerformance, "high_performance",
     "fast where it is safe; several operators still high_precision"},
    {BuiltinImplModes::kHighPrecision, "high_precision", "exact, matrix operators as they are"},
    {BuiltinImplModes::kHighPerformanceForAll, "high_performance_for_all",
     "fast everywhere but in gathers; HF32 convolutions"},
    {BuiltinImplModes::kHighPrecisionForAll, "high_precision_for_all",
     "exact everywhere; float32 convolutions"},
};

// The lines of one file by IR type.
using BuiltinImplModeFile = std::map<std::string, ImplMode, std::less<>>;

// By name without ending: "high_precision", "allow_hf32_matmul_t_conv_f", ...
const BuiltinImplModeFile& BuiltinFile(std::string_view name);

// Empty: the table does not list the type.
std::optional<ImplMode> BuiltinImplModeOf(BuiltinImplModes table, std::string_view ir_type);

}  // namespace halftone
