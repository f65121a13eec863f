// Table of operators: name, operand types, mixed-precision policy, traits, shape rule.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/base/enum_table.h"
#include "src/ir/attributes.h"
#include "src/ir/fusion.h"
#include "src/ir/op_kind.h"
#include "src/ir/tensor.h"

namespace halftone {

// Mixed-precision policy of an operator: its list among white, black and gray (the Ascend compiler
// calls them trustlist, blocklist and graylist). The table holds the policies of the target `host`,
// which are our choice. White: matrix operators. Black: operators in which float16 overflows or
// cancels, such as exponentials, powers, divisions by sums, and sums over many elements. Gray: the
// others; they follow their producers.
enum class MixPolicy : std::uint8_t { kWhite, kBlack, kGray };

inline constexpr EnumRow<MixPolicy> kMixPolicies[] = {
    {MixPolicy::kWhite, "white", "lowered in mixed-precision modes"},
    {MixPolicy::kBlack, "black", "keeps its original dtype in mixed-precision modes"},
    {MixPolicy::kGray, "gray", "follows its producers in mixed-precision modes"},
};

constexpr std::string_view NameOf(MixPolicy policy) {
  return NameIn(kMixPolicies, policy);
}

enum OpTraits : unsigned {
  kNoTraits = 0,
  kCube = 1U << 0,       // a matrix operator
  kMovesData = 1U << 1,  // copies elements unchanged; its dtype decides only how many bytes move
  kIsView = 1U << 2,     // the output is input 0 under another shape; nothing is computed
  // Each result element depends only on the operand elements at its position (after ONNX
  // broadcasting), so the operator allows any order of axes.
  kElementwise = 1U << 3,
  kBits = 1U << 5,       // operands and results are integers
  kQuantized = 1U << 4,  // works on quantised data; keeps the types of the model in every mode
};

// Input of a shape rule.
struct ShapeQuery {
  const Attributes& attributes;
  std::vector<const TensorType*> inputs;  // null: the optional input is absent
  std::vector<const Tensor*> constants;   // parallel to `inputs`; null: absent or not constant
  int output_count = 1;
  std::optional<std::int64_t> planned_count = {};  // Node::planned_count
  const Fusion& fusion = kNoFusion;
};

// Returns the types of all outputs. Errors: kModel if the inputs do not fit the operator;
// kUnsupported if the shape of an output depends on data that is not constant.
using ShapeRule = std::vector<TensorType> (*)(const ShapeQuery&);

struct OpInfo {
  OpKind kind;
  std::string_view name;  // the ONNX type
  // Signatures: the types of operands and results, one letter each. A "?" behind a letter:
  // optional. A "*" behind the last letter: one or more.
  //   T  the type that a precision mode changes
  //   Y  result of a matrix operator: T, or float32 if T is a 16-bit type
  //   I  int32 or int64
  //   L  int64
  //   S  int32
  //   B  bool
  //   F  float32
  //   A  any type; no mode changes it
  //   Q  quantised data, each operand with its own integer type; no mode changes it. The result of
  //      a step may be float32 too (kernels/quantized/quantized.h).
  std::string_view inputs;
  std::string_view outputs;
  MixPolicy policy;
  unsigned traits;
  ShapeRule shape_rule;

  [[nodiscard]] bool Is(OpTraits trait) const { return (traits & trait) != 0; }
};

std::span<const OpInfo> AllOps();
const OpInfo& InfoOf(OpKind kind);
// Returns the row of an ONNX type, with exact case; null: halftone does not have the operator.
const OpInfo* FindOp(std::string_view name);

// One item of a signature: OpInfo::inputs or OpInfo::outputs.
struct SignatureItem {
  char letter = 'T';
  bool optional = false;
  bool repeated = false;
};

std::vector<SignatureItem> ParseSignature(std::string_view signature);

// Dtypes that the letters of a signature stand for in one choice of dtypes of an operator.
struct SignatureDTypes {
  DType t = DType::kFloat32;        // T
  DType y = DType::kFloat32;        // Y: result of a matrix operator
  DType index = DType::kInt64;      // I
  DType other = DType::kFloat32;    // A: any
  DType quantized = DType::kUInt8;  // Q

  // L, B, F and S are fixed: int64, bool, float32, int32.
  [[nodiscard]] DType Of(char letter) const;
};

// Returns the item of operand `index`; an item with "*" stands for all further operands. Empty: the
// operator has no such operand.
std::optional<SignatureItem> SignatureItemAt(std::string_view signature, std::size_t index);

}  // namespace halftone
