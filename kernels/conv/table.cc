#include "kernels/conv/channels_last.h"
#include "kernels/conv/channels_last_depthwise.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/depthwise.h"
#include "kernels/conv/implicit_gemm.h"
#include "kernels/conv/reference.h"
#include "kernels/conv/winograd.h"
#include "kernels/onednn/conv.h"

namespace halftone {
namespace {

template <TileFormat format>
constexpr KernelEntry Implicit(std::string_view name, DType dtype,
                               ImplMode mode = ImplMode::kDefault) {
  return {.name = name,
          .op = OpKind::kConv,
          .dtypes = DTypeSet(dtype),
          .impl_mode = mode,
          .isa = format == TileFormat::kPairs ? kIsaAvx512 | kIsaAvx512Bf16 : kIsaAny,
          .refusal = ImplicitGemmRefusal,
          .prepare = PrepareImplicitGemm<format>,
          .scratch_bytes = ImplicitGemmScratchBytes,
          .run = RunImplicitGemm};
}

template <TileFormat format>
constexpr KernelEntry ChannelsLast(std::string_view name, DType dtype,
                                   ImplMode mode = ImplMode::kDefault) {
  return {.name = name,
          .op = OpKind::kConv,
          .dtypes = DTypeSet(dtype),
          .impl_mode = mode,
          .isa = format == TileFormat::kPairs ? kIsaAvx512 | kIsaAvx512Bf16 : kIsaAny,
          .refusal = ChannelsLastConvRefusal,
          .prepare = PrepareChannelsLastConv<format>,
          .scratch_bytes = ChannelsLastConvScratchBytes,
          .run = RunChannelsLastConv};
}

constexpr KernelEntry Winograd(std::string_view name, DType dtype, ImplMode mode) {
  return {.name = name,
          .op = OpKind::kConv,
          .dtypes = DTypeSet(dtype),
          .impl_mode = mode,
          .isa = kIsaAvx512 | kIsaAvx512Bf16,
          .refusal = WinogradConvRefusal,
          .prepare = PrepareWinogradConv,
          .scratch_bytes = WinogradConvScratchBytes,
          .run = RunWinogradConv,
          .slower = WinogradConvSlower};
}

constexpr KernelEntry ChannelsLastDepthwise(std::string_view name, DType dtype) {
  return {.name = name,
          .op = OpKind::kConv,
          .dtypes = DTypeSet(dtype),
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = ChannelsLastDepthwiseRefusal,
          .prepare = PrepareChannelsLastDepthwise,
          .scratch_bytes = nullptr,
          .run = RunChannelsLastDepthwise};
}

constexpr KernelEntry Depthwise(std::string_view name, DType dtype) {
  return {.name = name,
          .op = OpKind::kConv,
          .dtypes = DTypeSet(dtype),
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = DepthwiseRefusal,
          .prepare = PrepareDepthwise,
          .scratch_bytes = DepthwiseScratchBytes,
          .run = RunDepthwise};
}

// The library chooses instructions for the CPU itself; its bfloat16 needs the dot units.
template <LibraryConvForm form>
constexpr KernelEntry Library(std::string_view name, DType dtype, IsaMask isa,
                              ImplMode mode = ImplMode::kDefault) {
  return {.name = name,
          .op = OpKind::kConv,
          .dtypes = DTypeSet(dtype),
          .impl_mode = mode,
          .isa = isa,
          .refusal = LibraryConvRefusal<form>,
          .prepare = PrepareLibraryConv<form>,
          .scratch_bytes = LibraryConvScratchBytes,
          .run = RunLibraryConv,
          .slower = LibraryConvSlower<form>,
          .rows_apart = true};
}

constexpr ImplMode kExact = ImplMode::kHighPrecision;
constexpr ImplMode kFast = ImplMode::kHighPerformance;

constexpr LibraryConvForm kDirect{.algorithm = LibraryAlgorithm::kDirect};
constexpr LibraryConvForm kWinograd{.algorithm = LibraryAlgorithm::kWinograd};
constexpr LibraryConvForm kRounded{.algorithm = LibraryAlgorithm::kDirect,
                                   .float16_as = DType::kBFloat16};

// The library's rows stand first because they were the fastest on every layer of
// bench/shapes/conv.txt. Its direct form stands there twice: high_performance without Winograd's
// method or the dot units is no slower than high_precision.
constexpr KernelEntry kTable[] = {
    Library<kDirect>("conv.f32.onednn", DType::kFloat32, kIsaAny, kExact),
    Library<kWinograd>("conv.f32.onednn.winograd", DType::kFloat32, kIsaAny, kFast),
    Library<kDirect>("conv.f32.onednn.direct", DType::kFloat32, kIsaAny, kFast),
    Library<kDirect>("conv.f16.onednn", DType::kFloat16, kIsaAvx2, kExact),
    Winograd("conv.f16.avx512_bf16.winograd", DType::kFloat16, kFast),
    Library<kWinograd>("conv.f16.onednn.winograd", DType::kFloat16, kIsaAvx2, kFast),
    Library<kRounded>("conv.f16.onednn.fast", DType::kFloat16,
                      kIsaAvx2 | kIsaAvx512 | kIsaAvx512Bf16, kFast),
    Library<kDirect>("conv.f16.onednn.direct", DType::kFloat16, kIsaAvx2, kFast),
    Library<kDirect>("conv.bf16.onednn", DType::kBFloat16, kIsaAvx512 | kIsaAvx512Bf16),
    ChannelsLastDepthwise("conv.f32.highway.depthwise_channels_last", DType::kFloat32),
    ChannelsLastDepthwise("conv.f16.highway.depthwise_channels_last", DType::kFloat16),
    ChannelsLastDepthwise("conv.bf16.highway.depthwise_channels_last", DType::kBFloat16),
    ChannelsLast<TileFormat::kFloat>("conv.f32.highway.channels_last", DType::kFloat32),
    ChannelsLast<TileFormat::kFloat16>("conv.f16.highway.channels_last", DType::kFloat16, kExact),
    ChannelsLast<TileFormat::kPairs>("conv.f16.avx512_bf16.fast_channels_last", DType::kFloat16,
                                     kFast),
    ChannelsLast<TileFormat::kPairs>("conv.bf16.avx512_bf16.channels_last", DType::kBFloat16),
    ChannelsLast<TileFormat::kBFloat16>("conv.bf16.highway.channels_last", DType::kBFloat16),
    Depthwise("conv.f32.highway.depthwise", DType::kFloat32),
    Depthwise("conv.f16.highway.depthwise", DType::kFloat16),
    Depthwise("conv.bf16.highway.depthwise", DType::kBFloat16),
    Implicit<TileFormat::kFloat>("conv.f32.highway", DType::kFloat32),
    Implicit<TileFormat::kFloat16>("conv.f16.highway", DType::kFloat16, kExact),
    Implicit<TileFormat::kPairs>("conv.f16.avx512_bf16.fast", DType::kFloat16, kFast),
    Implicit<TileFormat::kPairs>("conv.bf16.avx512_bf16", DType::kBFloat16),
    Implicit<TileFormat::kBFloat16>("conv.bf16.highway", DType::kBFloat16),
    {.name = "conv.reference",
     .op = OpKind::kConv,
     .dtypes = kTunableDTypes | kIntegerDTypes | DTypeSet(DType::kFloat64),
     .impl_mode = ImplMode::kDefault,
     .isa = kIsaAny,
     .refusal = nullptr,
     .prepare = PrepareConvReference,
     .scratch_bytes = nullptr,
     .run = RunConvReference,
     .is_reference = true},
};

}  // namespace

std::span<const KernelEntry> ConvKernels() {
  return kTable;
}

}  // namespace halftone
