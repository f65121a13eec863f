#include "kernels/conv_transpose/conv_transpose.h"
#include "kernels/conv_transpose/packed.h"
#include "kernels/conv_transpose/reference.h"

namespace halftone {
namespace {

template <TileFormat format>
constexpr KernelEntry Packed(std::string_view name, DType dtype,
                             ImplMode mode = ImplMode::kDefault) {
  return {.name = name,
          .op = OpKind::kConvTranspose,
          .dtypes = DTypeSet(dtype),
          .impl_mode = mode,
          .isa = format == TileFormat::kPairs ? kIsaAvx512 | kIsaAvx512Bf16 : kIsaAny,
          .refusal = PackedConvTransposeRefusal,
          .prepare = PreparePackedConvTranspose<format>,
          .scratch_bytes = PackedConvTransposeScratch,
          .run = RunPackedConvTranspose};
}

constexpr KernelEntry kTable[] = {
    Packed<TileFormat::kFloat>("conv_transpose.f32.highway", DType::kFloat32),
    Packed<TileFormat::kFloat16>("conv_transpose.f16.highway", DType::kFloat16,
                                 ImplMode::kHighPrecision),
    Packed<TileFormat::kPairs>("conv_transpose.f16.avx512_bf16.fast", DType::kFloat16,
                               ImplMode::kHighPerformance),
    Packed<TileFormat::kPairs>("conv_transpose.bf16.avx512_bf16", DType::kBFloat16),
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
