// Arithmetic peak of each unit of this CPU: independent multiplications in registers, without loads
// and stores.
// The clock of a virtual machine changes with its neighbours, so measure shortly before the figure
// is used.
#pragma once

#include <span>
#include <string_view>

namespace halftone {

struct InstructionPeak {
  std::string_view name;       // "fma_f32"
  std::string_view operation;  // the counted operation
  bool (*is_here)();           // true if this CPU has the unit
  // Operations a second on the calling thread, a multiplication and an addition counting as two;
  // takes about a millisecond.
  double (*measure)();
};

// One row per unit: fma_f32, fma_f16, dot_bf16, dot_s8, amx_bf16, amx_s8.
std::span<const InstructionPeak> InstructionPeaks();

// The peak of the row with this name; 0 if this CPU lacks the unit.
double MeasurePeak(std::string_view name);

}  // namespace halftone
