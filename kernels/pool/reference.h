// Specification of the pooling operators in double.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::unique_ptr<KernelState> PreparePoolReference(const KernelQuery& query);
void RunPoolReference(const KernelArgs& args) noexcept;

}  // namespace halftone
