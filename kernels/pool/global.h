// GlobalMaxPool and GlobalAveragePool of floating types: one number per contiguous plane.
//
// Maxima are exact. Averages: |Y - exact| <= g(n + 1) * mean |x| for planes of n elements, g as in
// windowed.h; then one rounding to a 16-bit result. Checked by PoolTest.ErrorBound.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::string_view GlobalPoolRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareGlobalPool(const KernelQuery& query);
void RunGlobalPool(const KernelArgs& args) noexcept;

}  // namespace halftone
