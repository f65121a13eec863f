// Specification of Conv in double.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::unique_ptr<KernelState> PrepareConvReference(const KernelQuery& query);
void RunConvReference(const KernelArgs& args) noexcept;

}  // namespace halftone
