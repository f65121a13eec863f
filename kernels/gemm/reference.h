// Specification of Gemm and MatMul in double.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

inline constexpr DTypeSet kGemmReferenceDTypes =
    kTunableDTypes | kIntegerDTypes | DTypeSet(DType::kFloat64);

std::unique_ptr<KernelState> PrepareGemmReference(const KernelQuery& query);
void RunGemmReference(const KernelArgs& args) noexcept;

}  // namespace halftone
