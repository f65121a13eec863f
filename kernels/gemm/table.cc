#include "kernels/gemm/few_rows.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/packed.h"
#include "kernels/gemm/reference.h"
#include "kernels/onednn/matmul.h"

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

template <TileFormat format>
constexpr KernelEntry Packed(std::string_view name, OpKind op, DType dtype,
                             ImplMode mode = ImplMode::kDefault) {
  return {.name = name,
          .op = op,
          .dtypes = DTypeSet(dtype),
          .impl_mode = mode,
          .isa = format == TileFormat::kPairs ? kIsaAvx512 | kIsaAvx512Bf16 : kIsaAny,
          .refusal = nullptr,
          .prepare = PreparePackedGemm<format>,
          .scratch_bytes = PackedGemmScratchBytes,
          .run = RunPackedGemm};
}

constexpr KernelEntry FewRows(std::string_view name, OpKind op, DType dtype,
                              ImplMode mode = ImplMode::kDefault) {
  return {.name = name,
          .op = op,
          .dtypes = DTypeSet(dtype),
          .impl_mode = mode,
          .isa = kIsaAny,
          .refusal = FewRowsRefusal,
          .prepare = PrepareFewRows,
          .scratch_bytes = FewRowsScratchBytes,
          .run = RunFewRows};
}

// The library chooses instructions for the CPU itself; its bfloat16 needs the dot units.
constexpr KernelEntry Library(std::string_view name, OpKind op, DType dtype, IsaMask isa) {
  return {.name = name,
          .op = op,
          .dtypes = DTypeSet(dtype),
          .impl_mode = ImplMode::kDefault,
          .isa = isa,
          .refusal = LibraryMatMulRefusal,
          .prepare = PrepareLibraryMatMul,
          .scratch_bytes = LibraryMatMulScratchBytes,
          .run = RunLibraryMatMul,
          .slower = LibraryMatMulSlower};
}

constexpr OpKind kGemm = OpKind::kGemm;
constexpr OpKind kMatMul = OpKind::kMatMul;
constexpr ImplMode kExact = ImplMode::kHighPrecision;
constexpr IsaMask kDotUnits = kIsaAvx512 | kIsaAvx512Bf16;
constexpr ImplMode kFast = ImplMode::kHighPerformance;

// float16 has two ways: exact products in fp32, or operands rounded to bfloat16 for the dot units.
constexpr KernelEntry kTable[] = {
    Library("gemm.f32.onednn", kGemm, DType::kFloat32, kIsaAny),
    FewRows("gemm.f32.highway.few_rows", kGemm, DType::kFloat32),
    Packed<TileFormat::kFloat>("gemm.f32.highway", kGemm, DType::kFloat32),
    FewRows("gemm.f16.highway.few_rows", kGemm, DType::kFloat16, kExact),
    Packed<TileFormat::kFloat16>("gemm.f16.highway", kGemm, DType::kFloat16, kExact),
    Packed<TileFormat::kPairs>("gemm.f16.avx512_bf16.fast", kGemm, DType::kFloat16, kFast),
    FewRows("gemm.bf16.highway.few_rows", kGemm, DType::kBFloat16),
    Packed<TileFormat::kPairs>("gemm.bf16.avx512_bf16", kGemm, DType::kBFloat16),
    Packed<TileFormat::kBFloat16>("gemm.bf16.highway", kGemm, DType::kBFloat16),
    Library("matmul.f32.onednn", kMatMul, DType::kFloat32, kIsaAny),
    FewRows("matmul.f32.highway.few_rows", kMatMul, DType::kFloat32),
    Packed<TileFormat::kFloat>("matmul.f32.highway", kMatMul, DType::kFloat32),
    FewRows("matmul.f16.highway.few_rows", kMatMul, DType::kFloat16, kExact),
    Packed<TileFormat::kFloat16>("matmul.f16.highway", kMatMul, DType::kFloat16, kExact),
    Packed<TileFormat::kPairs>("matmul.f16.avx512_bf16.fast", kMatMul, DType::kFloat16, kFast),
    FewRows("matmul.bf16.highway.few_rows", kMatMul, DType::kBFloat16),
    Packed<TileFormat::kPairs>("matmul.bf16.avx512_bf16", kMatMul, DType::kBFloat16),
    Packed<TileFormat::kBFloat16>("matmul.bf16.highway", kMatMul, DType::kBFloat16),
    Library("gemm.bf16.onednn", kGemm, DType::kBFloat16, kDotUnits),
    Library("matmul.bf16.onednn", kMatMul, DType::kBFloat16, kDotUnits),
    Reference("gemm.reference", kGemm),
    Reference("matmul.reference", kMatMul),
};

}  // namespace

std::span<const KernelEntry> GemmKernels() {
  return kTable;
}

}  // namespace halftone
