// Products of up to 4 rows with a B that is computed at run time, such as queries of one position
// times cached keys and values. B is read once, in place: packing it into panels would take longer
// than the product.
//
// Error, in the symbols of packed.h: |Y - exact| <= g(K + 3) (|alpha| S + |beta c|), then one
// rounding to a 16-bit result. Each product passes at most K roundings, whether sums run along rows
// or along columns of B. Checked by GemmTest.ErrorBound.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::string_view FewRowsRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareFewRows(const KernelQuery& query);
std::size_t FewRowsScratchBytes(const KernelState& state);
void RunFewRows(const KernelArgs& args) noexcept;

}  // namespace halftone
