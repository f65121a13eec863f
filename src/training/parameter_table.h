// Table of the parameters for precision and tuning in a TensorFlow training script on Ascend. The
// script sets them by NPURunConfig(...), custom_op.parameter_map[...] or npu.global_options().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "src/precision/files/option_table.h"

namespace halftone {

// Type of a parameter, as the field that parameter_map["name"] has for it: .s, .i or .b.
enum class ParameterKind : char { kText = 's', kInteger = 'i', kBoolean = 'b' };

// Interfaces of a script that take a parameter, as bits.
enum ParameterForms : std::uint8_t {
  kInRunConfig = 1,      // NPURunConfig(...)
  kInParameterMap = 2,   // custom_op.parameter_map[...]
  kInGlobalOptions = 4,  // npu.global_options()
};

struct ParameterRow {
  std::string_view name;
  ParameterKind kind;
  std::uint8_t forms;  // ParameterForms
  // The option that the parameter sets; null: the parameter does not affect precision.
  std::string PrecisionArguments::*argument = nullptr;
  long most = 0;             // kInteger: largest legal value; the least one is 0
  std::string_view choices;  // kText: legal values, "1,2,4"; empty: any text
  std::string_view note;     // reason why the parameter does not affect precision
};

std::span<const ParameterRow> AllParameters();
const ParameterRow* FindParameter(std::string_view name);

}  // namespace halftone
