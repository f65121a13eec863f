#include "kernels/conv_transpose/conv_transpose.h"
#include "kernels/conv_transpose/disjoint.h"
#include "kernels/conv_transpose/packed.h"
#include "kernels/conv_transpose/phases.h"
#include "kernels/conv_transpose/reference.h"
#include "kernels/shared_components.h"
#include "kernels/tile/tile_rows.h"

namespace halftone {
namespace {

constexpr Component kPackedTaps{.name = "conv_transpose.packed"};
constexpr Component kDisjointTaps{.name = "conv_transpose.disjoint"};
constexpr Component kPhaseConvs{"conv_transpose.phases", 2, "gathers rows of pixels together"};
constexpr Component kConvTransposeReference{.name = "conv_transpose.reference"};

template <std::size_t use>
constexpr KernelName kPackedName = TileKernelName("conv_transpose", kTileUses[use]);

template <std::size_t use>
constexpr KernelName kDisjointName = TileKernelName("conv_transpose", kTileUses[use], "disjoint");

constexpr auto kPacked = TileRows([]<std::size_t use>() {
  KernelEntry row = TileRow(kPackedName<use>, OpKind::kConvTranspose, kTileUses[use]);
  row.refusal = PackedConvTransposeRefusal;
  row.prepare = PreparePackedConvTranspose<kTileUses[use].tile>;
  row.scratch_bytes = PackedConvTransposeScratch;
  row.run = RunPackedConvTranspose;
  row.components.Add({&kPackedTaps, &kEpilogue, &kVectorMath});
  return row;
});

constexpr auto kDisjoint = TileRows([]<std::size_t use>() {
  KernelEntry row = TileRow(kDisjointName<use>, OpKind::kConvTranspose, kTileUses[use]);
  row.refusal = DisjointConvTransposeRefusal;
  row.prepare = PrepareDisjointConvTranspose<kTileUses[use].tile>;
  row.scratch_bytes = DisjointConvTransposeScratch;
  row.run = RunDisjointConvTranspose;
  row.components.Add({&kDisjointTaps, &kEpilogue, &kVectorMath});
  return row;
});

// Runs on every CPU, by the convolution kernels that the CPU has.
constexpr KernelEntry Phases(std::string_view name, DType dtype,
                             ImplMode mode = ImplMode::kDefault) {
  return {.name = name,
          .op = OpKind::kConvTranspose,
          .dtypes = DTypeSet(dtype),
          .impl_mode = mode,
          .isa = kIsaAny,
          .refusal = ConvTransposePhasesRefusal,
          .prepare = PrepareConvTransposePhases,
          .scratch_bytes = ConvTransposePhasesScratch,
          .run = RunConvTransposePhases,
          .slower = ConvTransposePhasesSlower,
          .components = {&kPhaseConvs},
          .calls = OpKind::kConv};
}

constexpr std::array kPhases = {
    Phases("conv_transpose.f32.phases", DType::kFloat32),
    Phases("conv_transpose.f16.phases", DType::kFloat16, ImplMode::kHighPrecision),
    Phases("conv_transpose.bf16.phases", DType::kBFloat16),
};

constexpr std::array kReference = {KernelEntry{
    .name = "conv_transpose.reference",
    .op = OpKind::kConvTranspose,
    .dtypes = kTunableDTypes | DTypeSet(DType::kFloat64),
    .impl_mode = ImplMode::kDefault,
    .isa = kIsaAny,
    .refusal = nullptr,
    .prepare = PrepareConvTransposeReference,
    .scratch_bytes = nullptr,
    .run = RunConvTransposeReference,
    .is_reference = true,
    .components = {&kConvTransposeReference},
}};

constexpr auto kTable = Joined(kDisjoint, kPhases, kPacked, kReference);

}  // namespace

std::span<const KernelEntry> ConvTransposeKernels() {
  return kTable;
}

}  // namespace halftone
