// Operators between quantised tensors that lowering makes (quantized.h has the formulas):
// QLinearAdd, QLinearMul, QLinearConcat, QLinearAveragePool, QLinearGlobalAveragePool,
// QLinearLookup. Scales and zero points are one number a tensor. The references take any layout and
// any shapes.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/pool/pool_call.h"

namespace halftone {

// QLinearAdd and QLinearMul.
std::unique_ptr<KernelState> PrepareByteBinaryReference(const KernelQuery& query);
void RunByteBinaryReference(const KernelArgs& args) noexcept;

std::unique_ptr<KernelState> PrepareByteConcatReference(const KernelQuery& query);
void RunByteConcatReference(const KernelArgs& args) noexcept;

// QLinearAveragePool and QLinearGlobalAveragePool.
std::unique_ptr<KernelState> PrepareBytePoolReference(const KernelQuery& query);
void RunBytePoolReference(const KernelArgs& args) noexcept;

std::unique_ptr<KernelState> PrepareByteLookupReference(const KernelQuery& query);
void RunByteLookupReference(const KernelArgs& args) noexcept;

// The window of the float operator. Errors as PoolCallOf().
PoolCall BytePoolCallOf(const KernelQuery& query);

}  // namespace halftone
