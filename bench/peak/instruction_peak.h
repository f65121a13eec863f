// Arithmetic peak of each unit of this CPU, measured with independent multiplications in registers,
// without loads and stores. The clock of a virtual machine depends on its neighbours, so measure
// the peak shortly before it is used.
#pragma once

#include <span>
#include <string_view>

namespace halftone {

struct InstructionPeak {
  std::string_view name;       // "fma_f32"
  std::string_view operation;  // the operation that is counted: "float32 multiply-add"
  bool (*is_here)();           // true if this CPU has the unit
  // Measures operations a second on the calling thread. A multiplication and an addition count as
  // two.
  double (*measure)();
};

// One row per unit: fma_f32, fma_f16, dot_bf16, dot_s8, amx_bf16, amx_s8.
std::span<const InstructionPeak> InstructionPeaks();

// Measures the peak of the row with this name; 0 if this CPU lacks the unit.
double MeasurePeak(std::string_view name);

}  // namespace halftone
