// Facts that fusion and lowering add to the operator of a step (src/passes/fuse, src/exec). They
// are apart from the attributes, which hold what ONNX says. A node of a network has no such facts.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/attributes.h"
#include "src/ir/layout.h"
#include "src/ir/numeric_format.h"
#include "src/ir/op_kind.h"

namespace halftone {

// Activation that a Conv, Gemm, MatMul or BatchNormalization applies to its result.
struct StepActivation {
  OpKind op = OpKind::kRelu;
  // Bounds of Clip. Others ignore them; Relu is always [0, inf).
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  // Attributes of the activation; empty: its node does not have them.
  std::optional<float> alpha;
  std::optional<float> beta;
  std::optional<std::string> approximate;
  // Slopes of PRelu: one, or one for each channel of a Conv or column of a Gemm or MatMul.
  std::vector<float> slopes;

  friend bool operator==(const StepActivation&, const StepActivation&) = default;
};

// Order of the addition of the residual operand (src/ir/fused_operands.h) and the activation.
enum class ResidualPlace : std::uint8_t { kNone, kBefore, kAfter };

// Scale and masks of a Softmax that was fused (kernels/softmax/softmax.h). It has two optional
// operands: `mask`, which is added, and `keep`, a bool that hides elements.
struct StepSoftmax {
  float scale = 1;
  std::optional<float> fill;  // value of hidden elements; empty: there is no operand `keep`
  bool drop = false;          // true: `keep` hides elements where it is true; false: where false
  bool mask_last = false;     // true: `mask` is added to hidden elements, too

  friend bool operator==(const StepSoftmax&, const StepSoftmax&) = default;
};

// Facts of an Attention that was fused (kernels/attention/attention.h); masks as StepSoftmax.
struct StepAttention {
  float fill = -std::numeric_limits<float>::infinity();
  bool drop = false;
  bool mask_last = false;
  // K is [batch, length, heads, size] where Q and V are [batch, heads, length, size].
  bool key_rows = false;

  friend bool operator==(const StepAttention&, const StepAttention&) = default;
};

// Facts of one step. All are empty for a node that runs alone.
struct Fusion {
  std::optional<StepActivation> activation;
  ResidualPlace residual = ResidualPlace::kNone;
  // MatMul: permutation of the axes of operand B before the product; empty: none.
  std::vector<std::int64_t> b_perm;
  std::optional<StepSoftmax> softmax;
  std::optional<StepAttention> attention;
  // Cast: number format to which it rounds; empty: the dtype of its result.
  std::optional<NumericFormat> format;

  friend bool operator==(const Fusion&, const Fusion&) = default;
};

inline const Fusion kNoFusion = {};

// Name under which WithFacts() stores StepActivation::slopes.
inline constexpr std::string_view kSlopesKey = "activation_slopes";

// Returns the attributes together with the facts of a step as further entries, for hashes and keys:
// steps with different facts have different entries. Names and values of entries are part of stored
// keys (src/exec/operator_signature.h) and must not change.
Attributes WithFacts(Attributes attributes, const Fusion& fusion, const StepLayout& layout);

}  // namespace halftone
