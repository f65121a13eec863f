#include "kernels/einsum/einsum.h"
#include "kernels/shared_components.h"
#include "kernels/tile/tile_rows.h"

namespace halftone {
namespace {

// Name by the MatMul kernel that the entry may use: "einsum.f32.matmul", "einsum.bf16.avx512_bf16".
constexpr KernelName MatMulName(const TileUse& use) {
  if (use.kernel().name != "highway") {
    return TileKernelName("einsum", use);
  }
  return KernelName().Add("einsum.").Add(ShortNameOf(use.dtype)).Add(".matmul");
}

constexpr Component kEinsumProducts{.name = "einsum.products"};
constexpr Component kEinsumSteps{.name = "einsum.steps"};

template <const auto& uses, std::size_t use>
constexpr KernelName kMatMulName = MatMulName(uses[use]);

// Name of the MatMul kernel of a tile that MatMul chooses for no call by itself, or only after
// those of another mode; empty for other tiles.
template <const auto& uses, std::size_t use>
constexpr KernelName kForcedName = uses[use].kernel().emulates || uses[use].kernel().in_parts()
                                       ? TileKernelName("matmul", uses[use])
                                       : KernelName();

template <const auto& uses, std::size_t use>
std::unique_ptr<KernelState> PrepareMatMul(const KernelQuery& query) {
  return PrepareEinsumMatMul(query, {.mode = uses[use].mode,
                                     .isa = uses[use].kernel().isa,
                                     .forced_name = kForcedName<uses, use>.view()});
}

template <const auto& uses>
constexpr auto kMatMul = RowsOf<uses.size()>([]<std::size_t use>() {
  KernelEntry row = TileRow(kMatMulName<uses, use>, OpKind::kEinsum, uses[use]);
  row.refusal = EinsumMatMulRefusal;
  row.prepare = PrepareMatMul<uses, use>;
  row.scratch_bytes = EinsumMatMulScratch;
  row.run = RunEinsumMatMul;
  row.components.Add({&kEinsumProducts, &kCopyBytes});
  row.calls = OpKind::kMatMul;
  return row;
});

constexpr DTypeSet kNumbers = kTunableDTypes | kIntegerDTypes | DTypeSet(DType::kFloat64);
constexpr KernelEntry kFirstRows[] = {
    KernelEntry{.name = "einsum.any.transpose",
                .op = OpKind::kEinsum,
                .dtypes = kTunableDTypes,
                .impl_mode = ImplMode::kDefault,
                .isa = kIsaAny,
                .refusal = EinsumTransposeRefusal,
                .prepare = PrepareEinsumTranspose,
                .scratch_bytes = nullptr,
                .run = RunEinsumTranspose},
    KernelEntry{.name = "einsum.any.multiply",
                .op = OpKind::kEinsum,
                .dtypes = kTunableDTypes,
                .impl_mode = ImplMode::kDefault,
                .isa = kIsaAny,
                .refusal = EinsumMultiplyRefusal,
                .prepare = PrepareEinsumMultiply,
                .scratch_bytes = EinsumMultiplyScratch,
                .run = RunEinsumMultiply},
    KernelEntry{.name = "einsum.any.dots",
                .op = OpKind::kEinsum,
                .dtypes = kTunableDTypes,
                .impl_mode = ImplMode::kDefault,
                .isa = kIsaAny,
                .refusal = EinsumDotsRefusal,
                .prepare = PrepareEinsumDots,
                .scratch_bytes = EinsumDotsScratch,
                .run = RunEinsumDots},
};

constexpr auto kFirst = MadeOf({&kEinsumSteps, &kCopyBytes}, std::to_array(kFirstRows));

constexpr KernelEntry kLastRows[] = {
    KernelEntry{.name = "einsum.any.steps",
                .op = OpKind::kEinsum,
                .dtypes = kTunableDTypes,
                .impl_mode = ImplMode::kDefault,
                .isa = kIsaAny,
                .refusal = EinsumStepsRefusal,
                .prepare = PrepareEinsumSteps,
                .scratch_bytes = EinsumStepsScratch,
                .run = RunEinsumSteps},
    KernelEntry{.name = "einsum.any.reference",
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

constexpr auto kLast = MadeOf({&kEinsumSteps, &kCopyBytes}, std::to_array(kLastRows));

// Modes and instruction sets of products are those of MatMul (kernels/gemm/table.cc).
constexpr auto kEntries = Joined(kFirst, kMatMul<kTileUses>, kMatMul<kPartUses>, kLast);

}  // namespace

std::span<const KernelEntry> EinsumKernels() {
  return kEntries;
}

}  // namespace halftone
