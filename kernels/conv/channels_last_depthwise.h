// Depthwise convolution with channels last: one filter per channel.
//
// Sums are in fp32, tap by tap; the activation and one rounding to a 16-bit result follow. Error
// before that rounding, with K taps, u = 2^-24 and g(n) = n u / (1 - n u): at most g(K + 2) (sum
// |x w| + |bias|).
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

// Accepts channels last with one output channel per input channel, and constant weights and bias.
std::string_view ChannelsLastDepthwiseRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareChannelsLastDepthwise(const KernelQuery& query);
void RunChannelsLastDepthwise(const KernelArgs& args) noexcept;

}  // namespace halftone
