// Operators between quantised tensors that lowering makes (quantized.h has the formulas):
// QLinearAdd, QLinearMul, QLinearConcat, QLinearAveragePool, QLinearGlobalAveragePool,
// QLinearLookup. A tensor has one scale and one zero point. The references accept any layout and
// any shapes.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/pool/pool_call.h"

namespace halftone {

// QLinearAdd and QLinearMul.
std::string_view ByteBinaryRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareByteBinary(const KernelQuery& query);
void RunByteBinary(const KernelArgs& args) noexcept;

std::string_view ByteConcatRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareByteConcat(const KernelQuery& query);
void RunByteConcat(const KernelArgs& args) noexcept;

// QLinearAveragePool and QLinearGlobalAveragePool with channels last.
std::string_view BytePoolRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareBytePool(const KernelQuery& query);
void RunBytePool(const KernelArgs& args) noexcept;

// Operand of QLinearLookup as [outer, tables, inner]: one table for each index of the middle axis,
// or one table for all.
struct LookupExtents {
  explicit LookupExtents(const KernelQuery& query);

  std::int64_t outer = 1;
  std::int64_t tables = 1;
  std::int64_t inner = 1;
};

std::unique_ptr<KernelState> PrepareByteLookup(const KernelQuery& query);
void RunByteLookup(const KernelArgs& args) noexcept;

// References (byte_operators_reference.cc).
std::unique_ptr<KernelState> PrepareByteBinaryReference(const KernelQuery& query);
void RunByteBinaryReference(const KernelArgs& args) noexcept;

std::unique_ptr<KernelState> PrepareByteConcatReference(const KernelQuery& query);
void RunByteConcatReference(const KernelArgs& args) noexcept;

std::unique_ptr<KernelState> PrepareBytePoolReference(const KernelQuery& query);
void RunBytePoolReference(const KernelArgs& args) noexcept;

std::unique_ptr<KernelState> PrepareByteLookupReference(const KernelQuery& query);
void RunByteLookupReference(const KernelArgs& args) noexcept;

// The pooling of the corresponding float operator. Errors as PoolCallOf().
PoolCall BytePoolCallOf(const KernelQuery& query);

}  // namespace halftone
