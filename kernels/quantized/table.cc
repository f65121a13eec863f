#include "kernels/onednn/quantized_conv.h"
#include "kernels/onednn/quantized_matmul.h"
#include "kernels/quantized/conv.h"
#include "kernels/quantized/linear.h"
#include "kernels/quantized/matmul.h"
#include "kernels/quantized/quantized.h"
#include "kernels/quantized/reference.h"

namespace halftone {
namespace {

template <ByteTile tile>
constexpr KernelEntry MatMul(std::string_view name, OpKind op, IsaMask isa) {
  return {.name = name,
          .op = op,
          .dtypes = kByteDTypes,
          .impl_mode = ImplMode::kDefault,
          .isa = isa,
          .refusal = ByteMatMulRefusal,
          .prepare = PrepareByteMatMul<tile>,
          .scratch_bytes = ByteMatMulScratchBytes,
          .run = RunByteMatMul};
}

constexpr KernelEntry Library(std::string_view name, OpKind op, IsaMask isa) {
  return {.name = name,
          .op = op,
          .dtypes = kByteDTypes,
          .impl_mode = ImplMode::kDefault,
          .isa = isa,
          .refusal = LibraryByteMatMulRefusal,
          .prepare = PrepareLibraryByteMatMul,
          .scratch_bytes = LibraryByteMatMulScratchBytes,
          .run = RunLibraryByteMatMul};
}

template <ByteTile tile>
constexpr KernelEntry Conv(std::string_view name, OpKind op, IsaMask isa) {
  return {.name = name,
          .op = op,
          .dtypes = kByteDTypes,
          .impl_mode = ImplMode::kDefault,
          .isa = isa,
          .refusal = ByteConvRefusal,
          .prepare = PrepareByteConv<tile>,
          .scratch_bytes = ByteConvScratchBytes,
          .run = RunByteConv};
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
          .slower = LibraryByteConvSlower};
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
          .run = RunByteDepthwise};
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
          .run = run};
}

constexpr KernelEntry Reference(std::string_view name, OpKind op, DTypeSet dtypes,
                                std::unique_ptr<KernelState> (*prepare)(const KernelQuery&),
                                void (*run)(const KernelArgs&) noexcept) {
  return {.name = name,
          .op = op,
          .dtypes = dtypes,
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = nullptr,
          .prepare = prepare,
          .scratch_bytes = nullptr,
          .run = run,
          .is_reference = true};
}

constexpr OpKind kMatMulInteger = OpKind::kMatMulInteger;
constexpr OpKind kQLinearMatMul = OpKind::kQLinearMatMul;
constexpr OpKind kConvInteger = OpKind::kConvInteger;
constexpr OpKind kQLinearConv = OpKind::kQLinearConv;
constexpr IsaMask kDotUnits = kIsaAvx512 | kIsaAvx512Vnni;
constexpr DTypeSet kFloats = kTunableDTypes | DTypeSet(DType::kFloat64);
constexpr DTypeSet kIntegers = kQuantizedDTypes | DTypeSet(DType::kInt32);

// "s8" stands for int8 and uint8, in any combination. The library's convolutions stand first
// because they were the fastest where a window has several taps (bench/shapes/conv.txt): they
// gather no rows.
constexpr KernelEntry kTable[] = {
    MatMul<ByteTileVnni>("matmul_integer.s8.avx512_vnni", kMatMulInteger, kDotUnits),
    Library("matmul_integer.s8.onednn", kMatMulInteger, kDotUnits),
    MatMul<ByteTileHighway>("matmul_integer.s8.highway", kMatMulInteger, kIsaAny),
    MatMul<ByteTileVnni>("qlinear_matmul.s8.avx512_vnni", kQLinearMatMul, kDotUnits),
    Library("qlinear_matmul.s8.onednn", kQLinearMatMul, kDotUnits),
    MatMul<ByteTileHighway>("qlinear_matmul.s8.highway", kQLinearMatMul, kIsaAny),
    LibraryConv("conv_integer.s8.onednn", kConvInteger, kDotUnits),
    Depthwise("conv_integer.s8.highway.depthwise_channels_last", kConvInteger),
    Conv<ByteTileVnni>("conv_integer.s8.avx512_vnni.channels_last", kConvInteger, kDotUnits),
    Conv<ByteTileHighway>("conv_integer.s8.highway.channels_last", kConvInteger, kIsaAny),
    LibraryConv("qlinear_conv.s8.onednn", kQLinearConv, kDotUnits),
    Depthwise("qlinear_conv.s8.highway.depthwise_channels_last", kQLinearConv),
    Conv<ByteTileVnni>("qlinear_conv.s8.avx512_vnni.channels_last", kQLinearConv, kDotUnits),
    Conv<ByteTileHighway>("qlinear_conv.s8.highway.channels_last", kQLinearConv, kIsaAny),
    Linear("quantize_linear.f32.highway", OpKind::kQuantizeLinear, DTypeSet(DType::kFloat32),
           RunQuantizeLinear),
    Linear("dequantize_linear.s8.highway", OpKind::kDequantizeLinear, kQuantizedDTypes,
           RunDequantizeLinear),
    {.name = "dynamic_quantize_linear.f32.highway",
     .op = OpKind::kDynamicQuantizeLinear,
     .dtypes = DTypeSet(DType::kFloat32),
     .impl_mode = ImplMode::kDefault,
     .isa = kIsaAny,
     .refusal = DynamicQuantizeRefusal,
     .prepare = PrepareDynamicQuantize,
     .scratch_bytes = DynamicQuantizeScratchBytes,
     .run = RunDynamicQuantize},
    Reference("matmul_integer.reference", kMatMulInteger, kByteDTypes,
              PrepareQuantizedMatMulReference, RunQuantizedMatMulReference),
    Reference("qlinear_matmul.reference", kQLinearMatMul, kByteDTypes,
              PrepareQuantizedMatMulReference, RunQuantizedMatMulReference),
    Reference("conv_integer.reference", kConvInteger, kByteDTypes, PrepareQuantizedConvReference,
              RunQuantizedConvReference),
    Reference("qlinear_conv.reference", kQLinearConv, kByteDTypes, PrepareQuantizedConvReference,
              RunQuantizedConvReference),
    Reference("quantize_linear.reference", OpKind::kQuantizeLinear, kFloats, PrepareLinearReference,
              RunQuantizeLinearReference),
    Reference("dequantize_linear.reference", OpKind::kDequantizeLinear, kIntegers,
              PrepareLinearReference, RunDequantizeLinearReference),
    Reference("dynamic_quantize_linear.reference", OpKind::kDynamicQuantizeLinear, kFloats,
              PrepareLinearReference, RunDynamicQuantizeReference),
};

}  // namespace

std::span<const KernelEntry> QuantizedKernels() {
  return kTable;
}

}  // namespace halftone
