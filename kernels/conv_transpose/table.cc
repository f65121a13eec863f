#include "kernels/conv_transpose/conv_transpose.h"
#include "kernels/conv_transpose/disjoint.h"
#include "kernels/conv_transpose/packed.h"
#include "kernels/conv_transpose/phases.h"
#include "kernels/conv_transpose/reference.h"

namespace halftone {
namespace {

constexpr KernelEntry Row(std::string_view name, TileFormat format, DType dtype, ImplMode mode) {
  return {.name = name,
          .op = OpKind::kConvTranspose,
          .dtypes = DTypeSet(dtype),
          .impl_mode = mode,
          .isa = format == TileFormat::kPairs ? kIsaAvx512 | kIsaAvx512Bf16 : kIsaAny};
}

template <TileFormat format>
constexpr KernelEntry Packed(std::string_view name, DType dtype,
                             ImplMode mode = ImplMode::kDefault) {
  KernelEntry row = Row(name, format, dtype, mode);
  row.refusal = PackedConvTransposeRefusal;
  row.prepare = PreparePackedConvTranspose<format>;
  row.scratch_bytes = PackedConvTransposeScratch;
  row.run = RunPackedConvTranspose;
  return row;
}

template <TileFormat format>
constexpr KernelEntry Disjoint(std::string_view name, DType dtype,
                               ImplMode mode = ImplMode::kDefault) {
  KernelEntry row = Row(name, format, dtype, mode);
  row.refusal = DisjointConvTransposeRefusal;
  row.prepare = PrepareDisjointConvTranspose<format>;
  row.scratch_bytes = DisjointConvTransposeScratch;
  row.run = RunDisjointConvTranspose;
  return row;
}

// Runs wherever some convolution does.
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
          .slower = ConvTransposePhasesSlower};
}

constexpr KernelEntry kTable[] = {
    Disjoint<TileFormat::kFloat>("conv_transpose.f32.highway.disjoint", DType::kFloat32),
    Phases("conv_transpose.f32.phases", DType::kFloat32),
    Packed<TileFormat::kFloat>("conv_transpose.f32.highway", DType::kFloat32),
    Disjoint<TileFormat::kFloat16>("conv_transpose.f16.highway.disjoint", DType::kFloat16,
                                   ImplMode::kHighPrecision),
    Phases("conv_transpose.f16.phases", DType::kFloat16, ImplMode::kHighPrecision),
    Packed<TileFormat::kFloat16>("conv_transpose.f16.highway", DType::kFloat16,
                                 ImplMode::kHighPrecision),
    Disjoint<TileFormat::kPairs>("conv_transpose.f16.avx512_bf16.fast_disjoint", DType::kFloat16,
                                 ImplMode::kHighPerformance),
    Packed<TileFormat::kPairs>("conv_transpose.f16.avx512_bf16.fast", DType::kFloat16,
                               ImplMode::kHighPerformance),
    Disjoint<TileFormat::kPairs>("conv_transpose.bf16.avx512_bf16.disjoint", DType::kBFloat16),
    Phases("conv_transpose.bf16.phases", DType::kBFloat16),
    Packed<TileFormat::kPairs>("conv_transpose.bf16.avx512_bf16", DType::kBFloat16),
    Disjoint<TileFormat::kBFloat16>("conv_transpose.bf16.highway.disjoint", DType::kBFloat16),
    Packed<TileFormat::kBFloat16>("conv_transpose.bf16.highway", DType::kBFloat16),
    {.name = "conv_transpose.reference",
     .op = OpKind::kConvTranspose,
     .dtypes = kTunableDTypes | DTypeSet(DType::kFloat64),
     .impl_mode = ImplMode::kDefault,
     .isa = kIsaAny,
     .refusal = nullptr,
     .prepare = PrepareConvTransposeReference,
     .scratch_bytes = nullptr,
     .run = RunConvTransposeReference,
     .is_reference = true},
};

}  // namespace

std::span<const KernelEntry> ConvTransposeKernels() {
  return kTable;
}

}  // namespace halftone
