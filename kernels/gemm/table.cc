#include "kernels/gemm/few_rows.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/packed.h"
#include "kernels/gemm/reference.h"
#include "kernels/onednn/matmul.h"
#include "kernels/shared_components.h"
#include "kernels/tile/tile_rows.h"

namespace halftone {
namespace {

constexpr Component kPackedProduct{"gemm.packed", 5, "few rows read panels to their end"};
constexpr Component kFewRows{.name = "gemm.few_rows"};
constexpr Component kGemmReference{.name = "gemm.reference"};

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
          .is_reference = true,
          .components = {&kGemmReference}};
}

template <OpKind op, const auto& uses, std::size_t use>
constexpr KernelName kPackedName = TileKernelName(op == OpKind::kGemm ? "gemm" : "matmul",
                                                  uses[use]);

template <OpKind op, const auto& uses>
constexpr auto kPacked = RowsOf<uses.size()>([]<std::size_t use>() {
  KernelEntry row = TileRow(kPackedName<op, uses, use>, op, uses[use]);
  row.prepare = PreparePackedGemm<uses[use].tile>;
  row.scratch_bytes = PackedGemmScratchBytes;
  row.run = RunPackedGemm;
  row.components.Add({&kPackedProduct, &kEpilogue, &kVectorMath});
  return row;
});

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
          .run = RunFewRows,
          .components = {&kFewRows, &kEpilogue, &kVectorMath}};
}

// oneDNN chooses instructions for the CPU itself; its bfloat16 needs the dot units.
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
          .slower = LibraryMatMulSlower,
          .product = {.flushes_subnormals = dtype == DType::kBFloat16},
          .components = {&kOneDnn, &kEpilogue, &kVectorMath}};
}

constexpr OpKind kGemm = OpKind::kGemm;
constexpr OpKind kMatMul = OpKind::kMatMul;
constexpr ImplMode kExact = ImplMode::kHighPrecision;
constexpr IsaMask kDotUnits = kIsaAvx512 | kIsaAvx512Bf16;

constexpr std::array kFirst = {
    Library("gemm.f32.onednn", kGemm, DType::kFloat32, kIsaAny),
    Library("matmul.f32.onednn", kMatMul, DType::kFloat32, kIsaAny),
    FewRows("gemm.f32.highway.few_rows", kGemm, DType::kFloat32),
    FewRows("gemm.f16.highway.few_rows", kGemm, DType::kFloat16, kExact),
    FewRows("gemm.bf16.highway.few_rows", kGemm, DType::kBFloat16),
    FewRows("matmul.f32.highway.few_rows", kMatMul, DType::kFloat32),
    FewRows("matmul.f16.highway.few_rows", kMatMul, DType::kFloat16, kExact),
    FewRows("matmul.bf16.highway.few_rows", kMatMul, DType::kBFloat16),
};

constexpr std::array kLast = {
    Library("gemm.bf16.onednn", kGemm, DType::kBFloat16, kDotUnits),
    Library("matmul.bf16.onednn", kMatMul, DType::kBFloat16, kDotUnits),
    Reference("gemm.reference", kGemm),
    Reference("matmul.reference", kMatMul),
};

constexpr auto kTable = Joined(kFirst, kPacked<kGemm, kTileUses>, kPacked<kGemm, kPartUses>,
                               kPacked<kMatMul, kTileUses>, kPacked<kMatMul, kPartUses>, kLast);

}  // namespace

std::span<const KernelEntry> GemmKernels() {
  return kTable;
}

}  // namespace halftone
