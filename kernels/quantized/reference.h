// Specification of quantised products: exact integer sums, rounded as quantized.h says.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::unique_ptr<KernelState> PrepareQuantizedMatMulReference(const KernelQuery& query);
void RunQuantizedMatMulReference(const KernelArgs& args) noexcept;

std::unique_ptr<KernelState> PrepareQuantizedConvReference(const KernelQuery& query);
void RunQuantizedConvReference(const KernelArgs& args) noexcept;

std::unique_ptr<KernelState> PrepareQuantizedConvTransposeReference(const KernelQuery& query);
void RunQuantizedConvTransposeReference(const KernelArgs& args) noexcept;

}  // namespace halftone
