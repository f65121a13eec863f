// MaxPool, AveragePool, GlobalMaxPool and GlobalAveragePool with channels last; MaxPool also of
// bytes.
//
// Maxima are exact. Averages of K taps, with u = 2^-24 and Gamma(n) = n u / (1 - n u):
//   |error| <= Gamma(K + 1) * average of |x|, then one rounding to a 16-bit dtype.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::string_view ChannelsLastPoolRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareChannelsLastPool(const KernelQuery& query);
void RunChannelsLastPool(const KernelArgs& args) noexcept;

}  // namespace halftone
