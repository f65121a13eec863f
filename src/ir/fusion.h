// Facts of a step that fusion and lowering add to its operator (src/passes/fuse, src/exec).
// Attributes hold what ONNX says; a node of a network has no such facts.
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

// Activation behind a Conv, Gemm, MatMul or BatchNormalization.
struct StepActivation {
  OpKind op = OpKind::kRelu;
  // Bounds: Relu is [0, inf) whatever they are, Clip has both.
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  // Attributes of a function of one operand, where its node has them.
  std::optional<float> alpha;
  std::optional<float> beta;
  std::optional<std::string> approximate;
  // PRelu: one slope, or one per channel of a Conv or column of a Gemm or MatMul.
  std::vector<float> slopes;

  friend bool operator==(const StepActivation&, const StepActivation&) = default;
};

// Place of the residual sum (src/ir/fused_operands.h) relative to the activation.
enum class ResidualPlace : std::uint8_t { kNone, kBefore, kAfter };

// Scale and masks of a Softmax (kernels/softmax/softmax.h).
struct StepSoftmax {
  float scale = 1;
  std::optional<float> fill;  // value of elements that `keep` hides; empty: no such operand
  bool drop = false;          // `keep` hides where it is set
  bool mask_last = false;     // the mask is added to `fill` too

  friend bool operator==(const StepSoftmax&, const StepSoftmax&) = default;
};

// Softmax of an Attention that was fused (kernels/attention/attention.h).
struct StepAttention {
  float fill = -std::numeric_limits<float>::infinity();
  bool drop = false;
  bool mask_last = false;
  // K is [batch, length, heads, size] where Q and V are [batch, heads, length, size].
  bool key_rows = false;

  friend bool operator==(const StepAttention&, const StepAttention&) = default;
};

// Facts of one step; empty for a node that runs alone.
struct Fusion {
  std::optional<StepActivation> activation;
  ResidualPlace residual = ResidualPlace::kNone;
  // MatMul: permutation of the axes of operand B before the product; empty: as they are.
  std::vector<std::int64_t> b_perm;
  std::optional<StepSoftmax> softmax;
  std::optional<StepAttention> attention;
  // Cast: the number format that it rounds to, in place of a dtype.
  std::optional<NumericFormat> format;

  friend bool operator==(const Fusion&, const Fusion&) = default;
};

inline const Fusion kNoFusion = {};

// Key of the slopes in WithFacts().
inline constexpr std::string_view kSlopesKey = "activation_slopes";

// Attributes with the facts of a step beside them, for hashes and keys: steps that differ in a fact
// differ in an entry. Names and values are part of stored keys (src/exec/operator_signature.h) and
// stay as they are.
Attributes WithFacts(Attributes attributes, const Fusion& fusion, const StepLayout& layout);

}  // namespace halftone
