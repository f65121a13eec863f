#include "kernels/einsum/einsum.h"

namespace halftone {
namespace {

template <ImplMode mode, IsaMask isa>
std::unique_ptr<KernelState> PrepareMatMul(const KernelQuery& query) {
  return PrepareEinsumMatMul(query, mode, isa);
}

template <ImplMode mode = ImplMode::kDefault, IsaMask isa = kIsaAny>
constexpr KernelEntry MatMul(std::string_view name, DType dtype) {
  return {.name = name,
          .op = OpKind::kEinsum,
          .dtypes = DTypeSet(dtype),
          .impl_mode = mode,
          .isa = isa,
          .refusal = EinsumMatMulRefusal,
          .prepare = PrepareMatMul<mode, isa>,
          .scratch_bytes = EinsumMatMulScratch,
          .run = RunEinsumMatMul};
}

constexpr DTypeSet kNumbers = kTunableDTypes | kIntegerDTypes | DTypeSet(DType::kFloat64);
constexpr ImplMode kExact = ImplMode::kHighPrecision;
constexpr ImplMode kFast = ImplMode::kHighPerformance;
constexpr IsaMask kDotUnits = kIsaAvx512 | kIsaAvx512Bf16;

// Modes and instruction sets are those of MatMul (kernels/gemm/table.cc).
constexpr KernelEntry kEntries[] = {
    {.name = "einsum.any.transpose",
     .op = OpKind::kEinsum,
     .dtypes = kTunableDTypes,
     .impl_mode = ImplMode::kDefault,
     .isa = kIsaAny,
     .refusal = EinsumTransposeRefusal,
     .prepare = PrepareEinsumTranspose,
     .scratch_bytes = nullptr,
     .run = RunEinsumTranspose},
    {.name = "einsum.any.multiply",
     .op = OpKind::kEinsum,
     .dtypes = kTunableDTypes,
     .impl_mode = ImplMode::kDefault,
     .isa = kIsaAny,
     .refusal = EinsumMultiplyRefusal,
     .prepare = PrepareEinsumMultiply,
     .scratch_bytes = EinsumMultiplyScratch,
     .run = RunEinsumMultiply},
    {.name = "einsum.any.dots",
     .op = OpKind::kEinsum,
     .dtypes = kTunableDTypes,
     .impl_mode = ImplMode::kDefault,
     .isa = kIsaAny,
     .refusal = EinsumDotsRefusal,
     .prepare = PrepareEinsumDots,
     .scratch_bytes = EinsumDotsScratch,
     .run = RunEinsumDots},
    MatMul<>("einsum.f32.matmul", DType::kFloat32),
    MatMul<kExact>("einsum.f16.matmul", DType::kFloat16),
    MatMul<kFast, kDotUnits>("einsum.f16.avx512_bf16.fast", DType::kFloat16),
    MatMul<ImplMode::kDefault, kDotUnits>("einsum.bf16.avx512_bf16", DType::kBFloat16),
    MatMul<>("einsum.bf16.matmul", DType::kBFloat16),
    {.name = "einsum.any.steps",
     .op = OpKind::kEinsum,
     .dtypes = kTunableDTypes,
     .impl_mode = ImplMode::kDefault,
     .isa = kIsaAny,
     .refusal = EinsumStepsRefusal,
     .prepare = PrepareEinsumSteps,
     .scratch_bytes = EinsumStepsScratch,
     .run = RunEinsumSteps},
    {.name = "einsum.any.reference",
     .op = OpKind::kEinsum,
     .dtypes = kNumbers,
     .impl_mode = ImplMode::kDefault,
     .isa = kIsaAny,
     .refusal = EinsumReferenceRefusal,
     .prepare = PrepareEinsumReference,
     .scratch_bytes = nullptr,
     .run = RunEinsumReference,
     .is_reference = true},
};

}  // namespace

std::span<const KernelEntry> EinsumKernels() {
  return kEntries;
}

}  // namespace halftone
