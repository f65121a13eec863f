#include "src/passes/passes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "src/base/error.h"
#include "src/passes/fold/fold_batch_norm.h"
#include "src/passes/fold/fold_constants.h"
#include "src/passes/fuse/chain_elementwise.h"
#include "src/passes/fuse/fuse_activation.h"
#include "src/passes/fuse/fuse_attention.h"
#include "src/passes/fuse/fuse_elementwise.h"
#include "src/passes/fuse/fuse_matmul_bias.h"
#include "src/passes/fuse/fuse_norms.h"
#include "src/passes/fuse/fuse_quantized.h"
#include "src/passes/fuse/fuse_residual.h"
#include "src/passes/fuse/fuse_rope.h"
#include "src/passes/fuse/fuse_softmax.h"
#include "src/passes/fuse/fuse_transpose.h"
#include "src/passes/fuse/matmul_to_gemm.h"
#include "src/passes/rewrite/conv_transpose_to_conv.h"
#include "src/passes/rewrite/dilate_conv.h"
#include "src/passes/rewrite/merge_slices.h"
#include "src/passes/rewrite/remove_dead_nodes.h"
#include "src/passes/rewrite/remove_identities.h"

namespace halftone {
namespace {

constexpr FusionKind kCleanUp = FusionKind::kNone;
constexpr FusionKind kGraphFusion = FusionKind::kGraph;
constexpr FusionKind kBufferFusion = FusionKind::kBuffer;
constexpr PassStage kCanonical = PassStage::kCanonical;
constexpr PassStage kLowering = PassStage::kLowering;

// Values inside stay float32; the mode is that of the main operator, or the most exact one.
constexpr FusionRule kBehindMain{FusedValues::kFloat32, FusedMode::kMain};
constexpr FusionRule kBehindFloatMain{FusedValues::kFloat32, FusedMode::kMain, false};
constexpr FusionRule kAsOne{FusedValues::kFloat32, FusedMode::kMostExact};
constexpr FusionRule kIntoWeights{FusedValues::kWeights, FusedMode::kMain};
constexpr FusionRule kSameValues{FusedValues::kSame, FusedMode::kMain};

// A pass that asks nothing.
template <void (*run)(Graph&)>
void Plain(Graph& graph, const Fusing& /*fusing*/) {
  run(graph);
}

void FoldAllConstants(Graph& graph) {
  FoldConstants(graph);
}

// docs/internals/passes.md lists these rows.
constexpr Pass kPasses[] = {
    {"fuse_quantized", kGraphFusion,
     "makes Conv, MatMul or Gemm between DequantizeLinear and QuantizeLinear one operator on "
     "integers",
     kCanonical, kSameValues, Plain<FuseQuantized>},
    {"fold_constants", kCleanUp, "computes what does not depend on the input of the network",
     kCanonical, kSameValues, Plain<FoldAllConstants>},
    {"remove_identities", kCleanUp, "removes nodes that copy their input unchanged", kCanonical,
     kSameValues, Plain<RemoveIdentities>},
    {"remove_dead_nodes", kCleanUp, "removes nodes that no output of the network needs", kCanonical,
     kSameValues, Plain<RemoveDeadNodes>},
    {"fuse_layer_norm", kGraphFusion,
     "makes the nodes of (x - mean) / sqrt(variance + epsilon) one LayerNormalization", kLowering,
     kAsOne, FuseLayerNorm},
    {"fuse_rms_norm", kGraphFusion,
     "makes the nodes of x / sqrt(mean of x^2 + epsilon) one RMSNormalization", kLowering, kAsOne,
     FuseRmsNorm},
    {"fuse_gelu", kGraphFusion, "makes the nodes of x Phi(x), by erf or tanh, one Gelu", kLowering,
     kAsOne, FuseGelu},
    {"fuse_swish", kGraphFusion, "makes x sigmoid(a x) one Swish", kLowering, kAsOne, FuseSwish},
    {"fuse_hard_swish", kGraphFusion, "makes x Clip(x + 3, 0, 6) / 6 one HardSwish", kLowering,
     kAsOne, FuseHardSwish},
    {"fuse_mish", kGraphFusion, "makes x tanh(softplus(x)) one Mish", kLowering, kAsOne, FuseMish},
    {"fuse_softmax", kGraphFusion, "makes the scale and the mask before a Softmax part of it",
     kLowering, kAsOne, FuseSoftmax},
    {"fuse_rope", kGraphFusion,
     "makes the nodes of rotary position embedding with constant angles one RotaryEmbedding",
     kLowering, kAsOne, FuseRope},
    {"fuse_attention", kGraphFusion,
     "makes MatMul, Softmax and MatMul of scaled dot products one Attention", kLowering, kAsOne,
     FuseAttention},
    {"conv_transpose_to_conv", kGraphFusion,
     "makes a ConvTranspose of stride 1 with constant weights the Conv that it is", kLowering,
     kSameValues, ConvTransposeToConv},
    {"dilate_conv", kGraphFusion,
     "makes a Conv whose weights are zero between taps the dilated Conv that it is", kLowering,
     kSameValues, DilateConv},
    {"fold_batch_norm", kGraphFusion,
     "makes BatchNormalization and constant per-channel Mul, Add part of the Conv or ConvTranspose",
     kLowering, kIntoWeights, FoldBatchNorm},
    {"matmul_to_gemm", kGraphFusion,
     "makes a two-dimensional MatMul and the Add of a constant bias one Gemm", kLowering,
     kBehindMain, MatMulToGemm},
    {"fuse_matmul_bias", kGraphFusion,
     "makes the Add of a constant bias part of a MatMul of three or more axes", kLowering,
     kBehindMain, FuseMatMulBias},
    {"fuse_residual", kBufferFusion,
     "makes the Add of another tensor of the same shape part of the Conv, Gemm or MatMul before",
     kLowering, kBehindMain, FuseResidual},
    {"fuse_activation", kBufferFusion,
     "makes Relu, and Clip with constant bounds, part of the operator before", kLowering,
     kBehindMain, FuseActivation},
    {"fuse_activation_function", kBufferFusion,
     "makes Sigmoid, Tanh, Gelu, Swish, HardSwish, HardSigmoid, Mish, LeakyRelu, PRelu part of it",
     kLowering, kBehindFloatMain, FuseActivationFunction},
    {"fuse_residual_after_activation", kBufferFusion,
     "makes such an Add part of a Conv, Gemm or MatMul whose activation was fused", kLowering,
     kBehindMain, FuseResidualAfterActivation},
    {"fuse_transpose", kGraphFusion,
     "makes the Transpose of a computed second operand part of the MatMul or Gemm that reads it",
     kLowering, kSameValues, FuseTranspose},
    {"merge_slices", kGraphFusion, "makes Slices of a Slice along other axes one Slice", kLowering,
     kSameValues, MergeSlices},
    {"chain_elementwise", kBufferFusion,
     "makes element-wise nodes that nothing else reads in between run together, tile by tile",
     kLowering, kSameValues, Plain<ChainElementwise>},
    {"remove_dead_constants", kCleanUp,
     "releases constants that the passes before left without a reader", kLowering, kSameValues,
     Plain<RemoveDeadNodes>},
};

void CheckNames(const FusionNames& names) {
  for (const std::string& name : names) {
    const bool known = std::any_of(std::begin(kPasses), std::end(kPasses), [&](const Pass& pass) {
      return pass.name == name && pass.fusion != FusionKind::kNone;
    });
    if (known) {
      continue;
    }
    std::vector<std::string_view> fusions;
    for (const Pass& pass : kPasses) {
      if (pass.fusion != FusionKind::kNone) {
        fusions.push_back(pass.name);
      }
    }
    throw Error(ErrorKind::kUsage, fmt::format("there is no fusion '{}'; expected one of {}", name,
                                               fmt::join(fusions, ", ")));
  }
}

void RunStage(PassStage stage, Graph& graph, const FusionNames& off, FusionPolicy* policy) {
  for (const Pass& pass : kPasses) {
    if (pass.stage != stage || off.contains(pass.name)) {
      continue;
    }
    const Fusing fusing = policy == nullptr ? Fusing() : Fusing(*policy, pass.name, pass.rule);
    WithContext([&] { return fmt::format("pass {}", pass.name); },
                [&] { pass.run(graph, fusing); });
  }
}

}  // namespace

std::span<const Pass> AllPasses() {
  return kPasses;
}

void Canonicalize(Graph& graph, const FusionNames& off) {
  CheckNames(off);
  RunStage(PassStage::kCanonical, graph, off, nullptr);
  graph.fusions_off = off;
}

void Fuse(Graph& graph, FusionPolicy& policy) {
  RunStage(PassStage::kLowering, graph, graph.fusions_off, &policy);
}

void Optimize(Graph& graph, const FusionNames& off) {
  CheckNames(off);
  for (const PassStage stage : {PassStage::kCanonical, PassStage::kLowering}) {
    RunStage(stage, graph, off, nullptr);
  }
}

void Optimize(Graph& graph) {
  Optimize(graph, {});
}

}  // namespace halftone
