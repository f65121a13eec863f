// Parameters of a TensorFlow training script on Ascend for precision and tuning, in one table:
// NPURunConfig(...), custom_op.parameter_map[...] and npu.global_options().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "src/precision/files/option_table.h"

namespace halftone {

// Value field of parameter_map: ["name"].s, .i or .b.
enum class ParameterKind : char { kText = 's', kInteger = 'i', kBoolean = 'b' };

// Script interfaces that take the parameter, as bits.
enum ParameterForms : std::uint8_t {
  kInRunConfig = 1,      // NPURunConfig(...)
  kInParameterMap = 2,   // custom_op.parameter_map[...]
  kInGlobalOptions = 4,  // npu.global_options()
};

struct ParameterRow {
  std::string_view name;
  ParameterKind kind;
  std::uint8_t forms;
  // The option it becomes; null: it does not affect precision.
  std::string PrecisionArguments::*argument = nullptr;
  // kInteger: the largest legal value, from 0. kText: legal values, "1,2,4"; empty: any.
  long most = 0;
  std::string_view choices;
  std::string_view note;  // why it does not affect precision
};

std::span<const ParameterRow> AllParameters();
const ParameterRow* FindParameter(std::string_view name);

}  // namespace halftone
