// Specification of the transposed convolution in double.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::unique_ptr<KernelState> PrepareConvTransposeReference(const KernelQuery& query);
void RunConvTransposeReference(const KernelArgs& args) noexcept;

}  // namespace halftone
