// The implementation modes that --op_select_implmode stands for, by IR type: what the compiler
// keeps in four ini files of its installation. Ours list the types that halftone has.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// Empty: the table does not list the type.
std::optional<ImplMode> BuiltinImplModeOf(BuiltinImplModes table, std::string_view ir_type);

// The listed types in alphabetical order.
std::vector<std::string_view> BuiltinTypesOf(BuiltinImplModes table);

}  // namespace halftone
