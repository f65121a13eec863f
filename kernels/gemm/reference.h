// Specification of Gemm and MatMul: floating types in double, integers modulo 2^64 and then modulo
// the range of the result, with alpha and beta truncated to integers.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

inline constexpr DTypeSet kGemmReferenceDTypes =
    kTunableDTypes | kIntegerDTypes | DTypeSet(DType::kFloat64);

std::unique_ptr<KernelState> PrepareGemmReference(const KernelQuery& query);
void RunGemmReference(const KernelArgs& args) noexcept;

}  // namespace halftone
