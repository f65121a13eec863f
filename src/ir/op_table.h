// The one table of operators: name, operand types, precision class, shape rule.
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

// Mixed-precision policy of an operator: the white, black and gray list (trustlist, blocklist and
// graylist of the Ascend compiler). In this table it is the policy of the `host` target, ours to
// choose. White: matrix operators. Black: exponentials, divisions by sums, powers, sums over many
// elements, where fp16 overflows or cancels. Gray: the rest, which follows its producers.
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
  kMovesData = 1U << 1,  // copies elements unchanged: precision changes nothing but bytes
  kIsView = 1U << 2,     // output is input 0 under another shape: no work at run time
  // Each result element depends only on the operand elements at its position (ONNX broadcasting):
  // the axes may come in any order.
  kElementwise = 1U << 3,
  kBits = 1U << 5,       // operands and results are integers
  kQuantized = 1U << 4,  // has operands of quantised data: keeps the types of the model in any mode
};

// Input of a shape rule. `constants[i]` is null when input i is absent or not constant.
struct ShapeQuery {
  const Attributes& attributes;
  std::vector<const TensorType*> inputs;  // null: absent optional input
  std::vector<const Tensor*> constants;
  int output_count = 1;
  std::optional<std::int64_t> planned_count = {};  // Node::planned_count
  const Fusion& fusion = kNoFusion;
};

// Shape rule: the types of all outputs. Error kModel when the inputs do not fit the operator,
// kUnsupported when an output's shape depends on data that is not constant.
using ShapeRule = std::vector<TensorType> (*)(const ShapeQuery&);

struct OpInfo {
  OpKind kind;
  std::string_view name;  // the ONNX type
  // Operand types, one letter each. "?" behind it: optional, "*": one or more (last only).
  //   T  the type that a precision mode changes      Y  result type of a matrix operator: T, or
  //   I  int32 or int64        L  int64                 float32 when T is a 16-bit type
  //   B  bool                  F  float32            A  any type, as it is
  //   S  int32                 Q  quantised data, as it is: each operand its own integer type
  //                               (a step's result also float32: kernels/quantized/quantized.h)
  std::string_view inputs;
  std::string_view outputs;
  MixPolicy policy;
  unsigned traits;
  ShapeRule shape_rule;

  [[nodiscard]] bool Is(OpTraits trait) const { return (traits & trait) != 0; }
};

std::span<const OpInfo> AllOps();
const OpInfo& InfoOf(OpKind kind);
// The row of an ONNX type, exact case; null when halftone does not have it.
const OpInfo* FindOp(std::string_view name);

struct SignatureItem {
  char letter = 'T';
  bool optional = false;
  bool repeated = false;
};

std::vector<SignatureItem> ParseSignature(std::string_view signature);

// Dtypes of the signature letters in one column.
struct SignatureDTypes {
  DType t = DType::kFloat32;        // T
  DType y = DType::kFloat32;        // Y: result of a matrix operator
  DType index = DType::kInt64;      // I
  DType other = DType::kFloat32;    // A: any
  DType quantized = DType::kUInt8;  // Q

  // L, B, F and S are fixed: int64, bool, float32, int32.
  [[nodiscard]] DType Of(char letter) const;
};

// The signature item of operand `index`: the last one repeats when it is marked "*"; empty when the
// operator has no such operand.
std::optional<SignatureItem> SignatureItemAt(std::string_view signature, std::size_t index);

}  // namespace halftone
