#include "kernels/gemm/gemm.h"
#include "kernels/gemm/reference.h"

namespace halftone {
namespace {

constexpr KernelEntry Reference(std::string_view name, OpKind op) {
  return {.name = name,
          .op = op,
          .dtypes = kGemmReferenceDTypes,
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = nullptr,
          .prepare = PrepareGemmReference,
          .scratch_bytes = nullptr,
          .run = RunGemmReference,
          .is_reference = true};
}

constexpr KernelEntry kTable[] = {
    Reference("gemm.reference", OpKind::kGemm),
    Reference("matmul.reference", OpKind::kMatMul),
};

}  // namespace

std::span<const KernelEntry> GemmKernels() {
  return kTable;
}

}  // namespace halftone
