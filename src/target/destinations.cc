#include "src/target/destinations.h"

#include <algorithm>

#include "src/ir/op_table.h"

namespace halftone {
namespace {

// ONNX Runtime 1.22, CPU provider: operators that its selectors of pairs replace or leave on
// integers (onnxruntime/core/optimizer/qdq_transformer/selectors_actions); Relu and Clip go into
// the pair behind them (relu_quant_fusion, clip_quantizelinear). Where, Softmax, Min and Max of
// integers have no integer form in halftone.
constexpr OpKind kOrt[] = {
    OpKind::kConv,
    OpKind::kGemm,
    OpKind::kMatMul,
    OpKind::kAdd,
    OpKind::kMul,
    OpKind::kConcat,
    OpKind::kAveragePool,
    OpKind::kGlobalAveragePool,
    OpKind::kLeakyRelu,
    OpKind::kSigmoid,
    OpKind::kRelu,
    OpKind::kClip,
    OpKind::kMaxPool,
    OpKind::kResize,
    OpKind::kTranspose,
    OpKind::kSlice,
    OpKind::kGather,
    OpKind::kExpand,
    OpKind::kTile,
    OpKind::kSplit,
    OpKind::kGatherElements,
};

// MatMulIntegerToFloat, and QGemm without a scale of the result; QLinearConv has no such form.
constexpr OpKind kOrtWide[] = {OpKind::kGemm, OpKind::kMatMul};

// Functions behind a product are operators of their own in all of them. QLinearConv and QGemm have
// no operand that is added, either.
constexpr std::string_view kFusionsOff[] = {"fuse_activation_function"};
constexpr std::string_view kOrtFusionsOff[] = {"fuse_activation_function", "fuse_residual",
                                               "fuse_residual_after_activation"};

// OpenVINO's guide of low precision transformations, list of operations; LeakyRelu becomes PRelu.
constexpr OpKind kOpenVino[] = {
    OpKind::kConv,      OpKind::kConvTranspose, OpKind::kGemm,
    OpKind::kMatMul,    OpKind::kAdd,           OpKind::kMul,
    OpKind::kConcat,    OpKind::kAveragePool,   OpKind::kGlobalAveragePool,
    OpKind::kMaxPool,   OpKind::kRelu,          OpKind::kClip,
    OpKind::kPRelu,     OpKind::kLeakyRelu,     OpKind::kResize,
    OpKind::kTranspose, OpKind::kDepthToSpace,  OpKind::kSlice,
    OpKind::kPad,       OpKind::kGather,        OpKind::kSplit,
};

// TensorRT's guide (explicit quantization) and its quantization toolkit, list of layers; movers
// pass pairs through.
constexpr OpKind kTensorRt[] = {
    OpKind::kConv,         OpKind::kConvTranspose, OpKind::kGemm,
    OpKind::kMatMul,       OpKind::kAdd,           OpKind::kMul,
    OpKind::kConcat,       OpKind::kAveragePool,   OpKind::kGlobalAveragePool,
    OpKind::kMaxPool,      OpKind::kRelu,          OpKind::kClip,
    OpKind::kResize,       OpKind::kTranspose,     OpKind::kSlice,
    OpKind::kGather,       OpKind::kExpand,        OpKind::kTile,
    OpKind::kDepthToSpace, OpKind::kSpaceToDepth,  OpKind::kSplit,
};

constexpr OpKind kAnyProduct[] = {OpKind::kConv, OpKind::kConvTranspose, OpKind::kGemm,
                                  OpKind::kMatMul};

// One core at 3 GHz. Two 512-bit units a cycle: 2 x 16 multiply-adds of float32 (VFMADD), 2 x 64 of
// int8 (VPDPBUSD). One channel of DDR4-2666 a core. 16 bits are computed in float32.
constexpr double kAvx512Float32 = 0.192;
constexpr double kVnniInt8 = 0.768;
// Two 256-bit units: 2 x 8 multiply-adds of float32; of int8 32 in three instructions (VPMADDUBSW,
// VPMADDWD, VPADDD), two of which begin in a cycle.
constexpr double kAvx2Float32 = 0.096;
constexpr double kAvx2Int8 = 0.128;
constexpr double kDdr4Channel = 21.3;

constexpr std::string_view kIntel =
    "Intel 64 and IA-32 optimization reference manual: ports; one core at 3 GHz, one channel of "
    "DDR4-2666";

constexpr Destination kDestinations[] = {
    {"ort", "ONNX Runtime on a CPU with AVX-512 VNNI", "ort", true, kOrt, kOrtWide, kOrtFusionsOff,
     kAvx512Float32, kAvx512Float32, kAvx512Float32, kVnniInt8, kDdr4Channel, 1, kIntel},
    {"ort_avx2", "ONNX Runtime on a CPU with AVX2", "ort", true, kOrt, kOrtWide, kOrtFusionsOff,
     kAvx2Float32, kAvx2Float32, kAvx2Float32, kAvx2Int8, kDdr4Channel, 1, kIntel},
    {"openvino", "OpenVINO on a CPU with AVX-512 VNNI", "ort", true, kOpenVino, kAnyProduct,
     kFusionsOff, kAvx512Float32, kAvx512Float32, kAvx512Float32, kVnniInt8, kDdr4Channel, 1,
     kIntel},
    // TensorRT computes float32 products in TF32 where the GPU has it.
    {"tensorrt", "TensorRT on an A100", "tensorrt", false, kTensorRt, kAnyProduct, kFusionsOff, 156,
     312, 312, 624, 1555, 1, "NVIDIA A100 40GB data sheet: dense tensor cores, TF32"},
    {"tensorrt_l4", "TensorRT on an L4", "tensorrt", false, kTensorRt, kAnyProduct, kFusionsOff, 60,
     121, 121, 242, 300, 1, "NVIDIA L4 data sheet: dense tensor cores, TF32"},
    {"tensorrt_t4", "TensorRT on a T4", "tensorrt", false, kTensorRt, kAnyProduct, kFusionsOff, 8.1,
     65, 8.1, 130, 300, 1, "NVIDIA T4 data sheet: no TF32, no bfloat16"},
};

bool Has(std::span<const OpKind> ops, OpKind op) {
  return std::ranges::find(ops, op) != ops.end();
}

}  // namespace

std::span<const Destination> Destinations() {
  return kDestinations;
}

const Destination* FindDestination(std::string_view name) {
  const auto* const found = std::ranges::find(kDestinations, name, &Destination::name);
  return found == std::end(kDestinations) ? nullptr : found;
}

std::vector<std::string> DestinationNames() {
  std::vector<std::string> names;
  for (const Destination& destination : kDestinations) {
    names.emplace_back(destination.name);
  }
  return names;
}

bool IsScaledOn(const Destination& destination, OpKind op) {
  return InfoOf(op).Is(kIsView) || Has(destination.scaled, op);
}

bool IsWideOn(const Destination& destination, OpKind op) {
  return Has(destination.wide, op);
}

}  // namespace halftone
