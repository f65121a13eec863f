// Tables of implementation modes by IR type, which --op_select_implmode and --allow_hf32 choose.
// The Ascend compiler keeps them in ini files of its installation. halftone's own are
// src/precision/impl_modes/*.ini and are compiled in. --op_precision_mode takes files of the same
// syntax.
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

// Values of --op_select_implmode; the first is the default.
inline constexpr EnumRow<BuiltinImplModes> kBuiltinImplModes[] = {
    {BuiltinImplModes::kHighPerformance, "high_performance",
     "fast where it is safe; several operators still high_precision"},
    {BuiltinImplModes::kHighPrecision, "high_precision", "exact, matrix operators as they are"},
    {BuiltinImplModes::kHighPerformanceForAll, "high_performance_for_all",
     "fast everywhere but in gathers; HF32 convolutions"},
    {BuiltinImplModes::kHighPrecisionForAll, "high_precision_for_all",
     "exact everywhere; float32 convolutions"},
};

// Table of one file: the mode of each IR type.
using BuiltinImplModeFile = std::map<std::string, ImplMode, std::less<>>;

// The built-in table whose file has this name without ending: "high_precision",
// "allow_hf32_matmul_t_conv_f", ... Error kInternal: there is none.
const BuiltinImplModeFile& BuiltinFile(std::string_view name);

// The mode of an IR type in a built-in table; empty: the table does not list the type.
std::optional<ImplMode> BuiltinImplModeOf(BuiltinImplModes table, std::string_view ir_type);

}  // namespace halftone
