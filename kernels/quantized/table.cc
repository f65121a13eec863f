#include "kernels/onednn/quantized_conv.h"
#include "kernels/onednn/quantized_matmul.h"
#include "kernels/quantized/byte_operators.h"
#include "kernels/quantized/byte_resize.h"
#include "kernels/quantized/byte_tiles.h"
#include "kernels/quantized/conv.h"
#include "kernels/quantized/conv_transpose.h"
#include "kernels/quantized/dynamic_product.h"
#include "kernels/quantized/linear.h"
#include "kernels/quantized/matmul.h"
#include "kernels/quantized/quantized.h"
#include "kernels/quantized/reference.h"
#include "kernels/shared_components.h"
#include "kernels/table_rows.h"

namespace halftone {
namespace {

constexpr OpKind kMatMulInteger = OpKind::kMatMulInteger;
constexpr OpKind kQLinearMatMul = OpKind::kQLinearMatMul;
constexpr OpKind kConvInteger = OpKind::kConvInteger;
constexpr OpKind kQLinearConv = OpKind::kQLinearConv;
constexpr IsaMask kDotUnits = kIsaAvx512 | kIsaAvx512Vnni;

constexpr std::string_view FamilyOf(OpKind op) {
  return op == kMatMulInteger   ? "matmul_integer"
         : op == kQLinearMatMul ? "qlinear_matmul"
         : op == kConvInteger   ? "conv_integer"
                                : "qlinear_conv";
}

constexpr Component kBytePanels{"quantized.panels", 2, "asks for weights ahead"};
constexpr Component kByteResult{"quantized.result", 2, "two vectors at a time, epilogues"};
constexpr Component kByteProducts{"quantized.products", 2, "tiles that store bytes"};
constexpr Component kByteConvs{"quantized.convs", 3, "tiles that store bytes"};
constexpr Component kByteDepthwise{.name = "quantized.depthwise"};
constexpr Component kByteDepthwiseRows{.name = "quantized.depthwise_rows"};
constexpr Component kByteTransposed{.name = "quantized.conv_transpose"};
constexpr Component kDynamicProducts{.name = "quantized.dynamic_products"};
constexpr Component kLinear{"quantized.linear", 2, "bytes 4 vectors at a time"};
constexpr Component kByteOperators{"quantized.operators", 2, "tables by byte shuffles"};
constexpr Component kByteResize{.name = "quantized.resize"};
constexpr Component kQuantizedReference{.name = "quantized.reference"};

// Takes the tile by its index, because clang 14 accepts no reference to an array element as a
// template argument.
template <std::size_t tile>
std::unique_ptr<KernelState> PrepareMatMulOf(const KernelQuery& query) {
  return PrepareByteMatMul(query, kByteTiles[tile]);
}

template <std::size_t tile>
std::unique_ptr<KernelState> PrepareConvOf(const KernelQuery& query) {
  return PrepareByteConv(query, kByteTiles[tile]);
}

template <std::size_t tile, OpKind op>
constexpr KernelName kMatMulName =
    KernelName().Add(FamilyOf(op)).Add(".s8.").Add(kByteTiles[tile].name);

template <OpKind op>
constexpr auto kMatMuls = RowsOf<kByteTiles.size()>([]<std::size_t tile>() {
  return KernelEntry{
      .name = kMatMulName<tile, op>.view(),
      .op = op,
      .dtypes = kByteDTypes,
      .impl_mode = ImplMode::kDefault,
      .isa = kByteTiles[tile].isa,
      .refusal = ByteMatMulRefusal,
      .prepare = PrepareMatMulOf<tile>,
      .scratch_bytes = ByteMatMulScratchBytes,
      .run = RunByteMatMul,
      .emulates = kByteTiles[tile].emulates,
      .components = {&kByteTiles[tile].component, &kBytePanels, &kByteProducts, &kByteResult}};
});

template <std::size_t tile, OpKind op>
constexpr KernelName kConvName =
    KernelName().Add(FamilyOf(op)).Add(".s8.").Add(kByteTiles[tile].name).Add(".channels_last");

template <OpKind op>
constexpr auto kConvs = RowsOf<kByteTiles.size()>([]<std::size_t tile>() {
  return KernelEntry{
      .name = kConvName<tile, op>.view(),
      .op = op,
      .dtypes = kByteDTypes,
      .impl_mode = ImplMode::kDefault,
      .isa = kByteTiles[tile].isa,
      .refusal = ByteConvRefusal,
      .prepare = PrepareConvOf<tile>,
      .scratch_bytes = ByteConvScratchBytes,
      .run = RunByteConv,
      .emulates = kByteTiles[tile].emulates,
      .components = {&kByteTiles[tile].component, &kBytePanels, &kByteConvs, &kByteResult}};
});

template <std::size_t tile>
std::unique_ptr<KernelState> PrepareDynamicOf(const KernelQuery& query) {
  return PrepareDynamicMatMul(query, kByteTiles[tile]);
}

template <std::size_t tile>
constexpr KernelName kDynamicName =
    KernelName().Add("dynamic_matmul.f32.").Add(kByteTiles[tile].name);

constexpr auto kDynamics = RowsOf<kByteTiles.size()>([]<std::size_t tile>() {
  return KernelEntry{
      .name = kDynamicName<tile>.view(),
      .op = OpKind::kDynamicMatMul,
      .dtypes = DTypeSet(DType::kFloat32),
      .impl_mode = ImplMode::kDefault,
      .isa = kByteTiles[tile].isa,
      .refusal = DynamicMatMulRefusal,
      .prepare = PrepareDynamicOf<tile>,
      .scratch_bytes = DynamicMatMulScratchBytes,
      .run = RunDynamicMatMul,
      .emulates = kByteTiles[tile].emulates,
      .components = {&kByteTiles[tile].component, &kBytePanels, &kByteProducts, &kDynamicProducts}};
});

constexpr KernelEntry Library(std::string_view name, OpKind op, IsaMask isa) {
  return {.name = name,
          .op = op,
          .dtypes = kByteDTypes,
          .impl_mode = ImplMode::kDefault,
          .isa = isa,
          .refusal = LibraryByteMatMulRefusal,
          .prepare = PrepareLibraryByteMatMul,
          .scratch_bytes = LibraryByteMatMulScratchBytes,
          .run = RunLibraryByteMatMul,
          .components = {&kOneDnn, &kByteResult}};
}

constexpr KernelEntry LibraryConv(std::string_view name, OpKind op, IsaMask isa) {
  return {.name = name,
          .op = op,
          .dtypes = kByteDTypes,
          .impl_mode = ImplMode::kDefault,
          .isa = isa,
          .refusal = LibraryByteConvRefusal,
          .prepare = PrepareLibraryByteConv,
          .scratch_bytes = LibraryByteConvScratchBytes,
          .run = RunLibraryByteConv,
          .slower = LibraryByteConvSlower,
          .components = {&kOneDnn, &kByteResult}};
}

constexpr KernelEntry Depthwise(std::string_view name, OpKind op) {
  return {.name = name,
          .op = op,
          .dtypes = kByteDTypes,
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = ByteDepthwiseRefusal,
          .prepare = PrepareByteDepthwise,
          .scratch_bytes = nullptr,
          .run = RunByteDepthwise,
          .components = {&kByteDepthwise, &kByteResult}};
}

constexpr KernelEntry DepthwiseRows(std::string_view name, OpKind op) {
  return {.name = name,
          .op = op,
          .dtypes = kByteDTypes,
          .impl_mode = ImplMode::kDefault,
          .isa = kDotUnits,
          .refusal = DepthwiseRowsRefusal,
          .prepare = PrepareDepthwiseRows,
          .scratch_bytes = nullptr,
          .run = RunDepthwiseRows,
          .slower = DepthwiseRowsSlower,
          .components = {&kByteDepthwiseRows, &kByteResult}};
}

constexpr KernelEntry ByteConvTranspose(std::string_view name) {
  return {.name = name,
          .op = OpKind::kQLinearConvTranspose,
          .dtypes = kByteDTypes,
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = ByteConvTransposeRefusal,
          .prepare = PrepareByteConvTranspose,
          .scratch_bytes = ByteConvTransposeScratchBytes,
          .run = RunByteConvTranspose,
          .components = {&kByteTransposed},
          .calls = OpKind::kQLinearConv};
}

constexpr KernelEntry Linear(std::string_view name, OpKind op, DTypeSet dtypes,
                             void (*run)(const KernelArgs&) noexcept) {
  return {.name = name,
          .op = op,
          .dtypes = dtypes,
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = LinearRefusal,
          .prepare = PrepareLinear,
          .scratch_bytes = LinearScratchBytes,
          .run = run,
          .components = {&kLinear}};
}

constexpr KernelEntry Vector(std::string_view name, OpKind op, DTypeSet dtypes,
                             std::string_view (*refusal)(const KernelQuery&),
                             std::unique_ptr<KernelState> (*prepare)(const KernelQuery&),
                             void (*run)(const KernelArgs&) noexcept) {
  return {.name = name,
          .op = op,
          .dtypes = dtypes,
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = refusal,
          .prepare = prepare,
          .scratch_bytes = nullptr,
          .run = run,
          .components = {&kByteOperators}};
}

constexpr KernelEntry ByteResize(std::string_view name) {
  return {.name = name,
          .op = OpKind::kQLinearResize,
          .dtypes = kByteDTypes,
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = ByteResizeRefusal,
          .prepare = PrepareByteResize,
          .scratch_bytes = ByteResizeScratchBytes,
          .run = RunByteResize,
          .components = {&kByteResize, &kResizeTaps}};
}

constexpr KernelEntry Reference(std::string_view name, OpKind op, DTypeSet dtypes,
                                std::unique_ptr<KernelState> (*prepare)(const KernelQuery&),
                                void (*run)(const KernelArgs&) noexcept,
                                std::string_view (*refusal)(const KernelQuery&) = nullptr) {
  return {.name = name,
          .op = op,
          .dtypes = dtypes,
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = refusal,
          .prepare = prepare,
          .scratch_bytes = nullptr,
          .run = run,
          .is_reference = true,
          .components = {&kQuantizedReference}};
}

constexpr DTypeSet kFloats = kTunableDTypes | DTypeSet(DType::kFloat64);
constexpr DTypeSet kIntegers = kQuantizedDTypes | DTypeSet(DType::kInt32);

// "s8" stands for int8 and uint8, in any combination. oneDNN's convolutions stand first because
// they were the fastest where a window has several taps (bench/shapes/conv.txt): they gather no
// rows.
constexpr std::array kFirst = {
    DepthwiseRows("conv_integer.s8.avx512_vnni.depthwise_channels_last", kConvInteger),
    DepthwiseRows("qlinear_conv.s8.avx512_vnni.depthwise_channels_last", kQLinearConv),
    LibraryConv("conv_integer.s8.onednn", kConvInteger, kDotUnits),
    LibraryConv("qlinear_conv.s8.onednn", kQLinearConv, kDotUnits),
    Depthwise("conv_integer.s8.highway.depthwise_channels_last", kConvInteger),
    Depthwise("qlinear_conv.s8.highway.depthwise_channels_last", kQLinearConv),
};

constexpr std::array kLast = {
    ByteConvTranspose("qlinear_conv_transpose.s8.phases"),
    Library("matmul_integer.s8.onednn", kMatMulInteger, kDotUnits),
    Library("qlinear_matmul.s8.onednn", kQLinearMatMul, kDotUnits),
    Linear("quantize_linear.f32.highway", OpKind::kQuantizeLinear, DTypeSet(DType::kFloat32),
           RunQuantizeLinear),
    Linear("dequantize_linear.s8.highway", OpKind::kDequantizeLinear, kQuantizedDTypes,
           RunDequantizeLinear),
    KernelEntry{.name = "dynamic_quantize_linear.f32.highway",
                .op = OpKind::kDynamicQuantizeLinear,
                .dtypes = DTypeSet(DType::kFloat32),
                .impl_mode = ImplMode::kDefault,
                .isa = kIsaAny,
                .refusal = DynamicQuantizeRefusal,
                .prepare = PrepareDynamicQuantize,
                .scratch_bytes = DynamicQuantizeScratchBytes,
                .run = RunDynamicQuantize,
                .components = {&kLinear}},
    Vector("qlinear_add.s8.highway", OpKind::kQLinearAdd, kByteDTypes, ByteBinaryRefusal,
           PrepareByteBinary, RunByteBinary),
    Vector("qlinear_mul.s8.highway", OpKind::kQLinearMul, kByteDTypes, ByteBinaryRefusal,
           PrepareByteBinary, RunByteBinary),
    Vector("qlinear_concat.s8.highway", OpKind::kQLinearConcat, DTypeSet(DType::kFloat32),
           ByteConcatRefusal, PrepareByteConcat, RunByteConcat)
        .MadeOf({&kCopyRuns}),
    Vector("qlinear_average_pool.s8.highway.channels_last", OpKind::kQLinearAveragePool,
           kByteDTypes, BytePoolRefusal, PrepareBytePool, RunBytePool),
    Vector("qlinear_global_average_pool.s8.highway.channels_last",
           OpKind::kQLinearGlobalAveragePool, kByteDTypes, BytePoolRefusal, PrepareBytePool,
           RunBytePool),
    ByteResize("qlinear_resize.s8.highway"),
    Vector("qlinear_lookup.s8.highway", OpKind::kQLinearLookup, kByteDTypes, nullptr,
           PrepareByteLookup, RunByteLookup),
    Reference("matmul_integer.reference", kMatMulInteger, kByteDTypes,
              PrepareQuantizedMatMulReference, RunQuantizedMatMulReference),
    Reference("qlinear_matmul.reference", kQLinearMatMul, kByteDTypes,
              PrepareQuantizedMatMulReference, RunQuantizedMatMulReference),
    Reference("conv_integer.reference", kConvInteger, kByteDTypes, PrepareQuantizedConvReference,
              RunQuantizedConvReference),
    Reference("qlinear_conv.reference", kQLinearConv, kByteDTypes, PrepareQuantizedConvReference,
              RunQuantizedConvReference),
    Reference("qlinear_conv_transpose.reference", OpKind::kQLinearConvTranspose, kByteDTypes,
              PrepareQuantizedConvTransposeReference, RunQuantizedConvTransposeReference),
    Reference("qlinear_add.reference", OpKind::kQLinearAdd, kByteDTypes, PrepareByteBinaryReference,
              RunByteBinaryReference),
    Reference("qlinear_mul.reference", OpKind::kQLinearMul, kByteDTypes, PrepareByteBinaryReference,
              RunByteBinaryReference),
    Reference("qlinear_concat.reference", OpKind::kQLinearConcat,
              DTypeSet(DType::kFloat32, DType::kFloat64), PrepareByteConcatReference,
              RunByteConcatReference),
    Reference("qlinear_average_pool.reference", OpKind::kQLinearAveragePool, kByteDTypes,
              PrepareBytePoolReference, RunBytePoolReference),
    Reference("qlinear_global_average_pool.reference", OpKind::kQLinearGlobalAveragePool,
              kByteDTypes, PrepareBytePoolReference, RunBytePoolReference),
    Reference("qlinear_resize.reference", OpKind::kQLinearResize, kByteDTypes,
              PrepareByteResizeReference, RunByteResizeReference, ByteResizeReferenceRefusal),
    Reference("qlinear_lookup.reference", OpKind::kQLinearLookup, kByteDTypes,
              PrepareByteLookupReference, RunByteLookupReference),
    Reference("dynamic_matmul.reference", OpKind::kDynamicMatMul,
              DTypeSet(DType::kFloat32, DType::kFloat64), PrepareDynamicMatMulReference,
              RunDynamicMatMulReference),
    Reference("quantize_linear.reference", OpKind::kQuantizeLinear, kFloats, PrepareLinearReference,
              RunQuantizeLinearReference),
    Reference("dequantize_linear.reference", OpKind::kDequantizeLinear, kIntegers,
              PrepareLinearReference, RunDequantizeLinearReference),
    Reference("dynamic_quantize_linear.reference", OpKind::kDynamicQuantizeLinear, kFloats,
              PrepareLinearReference, RunDynamicQuantizeReference),
};

constexpr auto kTable =
    Joined(kFirst, kConvs<kConvInteger>, kConvs<kQLinearConv>, kMatMuls<kMatMulInteger>,
           kMatMuls<kQLinearMatMul>, kDynamics, kLast);

}  // namespace

std::span<const KernelEntry> QuantizedKernels() {
  return kTable;
}

}  // namespace halftone
