#include "kernels/conv/channels_last.h"
#include "kernels/conv/channels_last_depthwise.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/depthwise.h"
#include "kernels/conv/implicit_gemm.h"
#include "kernels/conv/reference.h"
#include "kernels/conv/winograd.h"
#include "kernels/onednn/conv.h"
#include "kernels/shared_components.h"
#include "kernels/tile/tile_rows.h"

namespace halftone {
namespace {

constexpr Component kImplicitProduct{"conv.implicit", 2, "asks for weights ahead"};
constexpr Component kChannelsLastRows{"conv.channels_last", 2, "gathers rows of pixels together"};
constexpr Component kDepthwiseConv{.name = "conv.depthwise"};
constexpr Component kWinogradConv{.name = "conv.winograd"};
constexpr Component kLibraryConv{"conv.onednn", 5, "leaves small ones to others"};
constexpr Component kConvReference{.name = "conv.reference"};

template <std::size_t use>
constexpr KernelName kImplicitName = TileKernelName("conv", kTileUses[use]);

template <std::size_t use>
constexpr KernelName kChannelsLastName = TileKernelName("conv", kTileUses[use], "channels_last");

constexpr auto kImplicit = TileRows([]<std::size_t use>() {
  KernelEntry row = TileRow(kImplicitName<use>, OpKind::kConv, kTileUses[use]);
  row.refusal = ImplicitGemmRefusal;
  row.prepare = PrepareImplicitGemm<kTileUses[use].tile>;
  row.scratch_bytes = ImplicitGemmScratchBytes;
  row.run = RunImplicitGemm;
  row.components.Add({&kImplicitProduct, &kEpilogue, &kVectorMath});
  return row;
});

constexpr auto kChannelsLast = TileRows([]<std::size_t use>() {
  KernelEntry row = TileRow(kChannelsLastName<use>, OpKind::kConv, kTileUses[use]);
  row.refusal = ChannelsLastConvRefusal;
  row.prepare = PrepareChannelsLastConv<kTileUses[use].tile>;
  row.scratch_bytes = ChannelsLastConvScratchBytes;
  row.run = RunChannelsLastConv;
  row.components.Add({&kChannelsLastRows, &kEpilogue, &kVectorMath});
  return row;
});

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
          .slower = WinogradConvSlower,
          .product = {.rounds_operands = true, .flushes_subnormals = true},
          .components = {&kWinogradConv, &TileNamed("avx512_bf16").component, &kPanels, &kEpilogue,
                         &kVectorMath}};
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
          .run = RunChannelsLastDepthwise,
          .components = {&kDepthwiseConv, &kEpilogue, &kVectorMath}};
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
          .run = RunDepthwise,
          .components = {&kDepthwiseConv, &kEpilogue, &kVectorMath}};
}

// oneDNN chooses instructions for the CPU itself; its bfloat16 needs the dot units.
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
          .product = {.rounds_operands = form.float16_as == DType::kBFloat16,
                      .flushes_subnormals =
                          dtype == DType::kBFloat16 || form.float16_as == DType::kBFloat16},
          .rows_apart = true,
          .components = {&kOneDnn, &kLibraryConv, &kEpilogue, &kVectorMath, &kHalfLoops}};
}

constexpr ImplMode kExact = ImplMode::kHighPrecision;
constexpr ImplMode kFast = ImplMode::kHighPerformance;

constexpr LibraryConvForm kDirect{.algorithm = LibraryAlgorithm::kDirect};
constexpr LibraryConvForm kWinograd{.algorithm = LibraryAlgorithm::kWinograd};
constexpr LibraryConvForm kRounded{.algorithm = LibraryAlgorithm::kDirect,
                                   .float16_as = DType::kBFloat16};

// oneDNN's rows stand first because they were the fastest on every layer of bench/shapes/conv.txt.
// Its direct variant stands there twice: high_performance without Winograd's method or the dot
// units is no slower than high_precision.
constexpr std::array kFirst = {
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
};

constexpr std::array kDepthwise = {
    Depthwise("conv.f32.highway.depthwise", DType::kFloat32),
    Depthwise("conv.f16.highway.depthwise", DType::kFloat16),
    Depthwise("conv.bf16.highway.depthwise", DType::kBFloat16),
};

constexpr std::array kReference = {KernelEntry{
    .name = "conv.reference",
    .op = OpKind::kConv,
    .dtypes = kTunableDTypes | kIntegerDTypes | DTypeSet(DType::kFloat64),
    .impl_mode = ImplMode::kDefault,
    .isa = kIsaAny,
    .refusal = nullptr,
    .prepare = PrepareConvReference,
    .scratch_bytes = nullptr,
    .run = RunConvReference,
    .is_reference = true,
    .components = {&kConvReference},
}};

constexpr auto kTable = Joined(kFirst, kChannelsLast, kDepthwise, kImplicit, kReference);

}  // namespace

std::span<const KernelEntry> ConvKernels() {
  return kTable;
}

}  // namespace halftone
