// GlobalMaxPool and GlobalAveragePool of floating types with channels first: one number per
// contiguous plane.
//
// Maxima are exact. Averages of planes of n elements: |Y - exact| <= g(n + 1) * mean |x| with g of
// windowed.h, then one rounding to a 16-bit result. Checked by PoolTest.ErrorBound.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::string_view GlobalPoolRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareGlobalPool(const KernelQuery& query);
void RunGlobalPool(const KernelArgs& args) noexcept;

}  // namespace halftone
