// Depthwise convolution with channels last: one filter per channel.
//
// Sums are in fp32, tap by tap; then follow the activation and one rounding to a 16-bit result.
// With K taps, u = 2^-24 and Gamma(n) = n u / (1 - n u): |error| <= Gamma(K + 2) * (sum |x * w| +
// |bias|) before the last rounding.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

// Accepts channels last with one result per channel and constant weights and bias.
std::string_view ChannelsLastDepthwiseRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareChannelsLastDepthwise(const KernelQuery& query);
void RunChannelsLastDepthwise(const KernelArgs& args) noexcept;

}  // namespace halftone
