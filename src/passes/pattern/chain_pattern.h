// Patterns of operators, written as expressions, and their matches in a graph.
//
//   Mul(x, Sigmoid(x) | HardSigmoid(x))
//   d = Sub(x, ReduceMean(x, @axes));  Div(d, Sqrt(Add(ReduceMean(Mul(d, d), @axes), $epsilon)))
//
//   Name(a, b)   a node of this ONNX type with one output and exactly these operands, in any order
//                for Add, Mul, Max and Min
//   a | b        a or b
//   x            a value that is not constant; a name stands for the same value everywhere
//   ?name        a value, constant or not
//   $name        a constant of one element
//   @name        a constant
//   0.5          a constant of one element with this value, up to two roundings to its dtype,
//                because exporters compute constants such as sqrt(2 / pi) in the dtype of the model
//   name = a;    defines `name` as the expression a for the rest of the pattern
//
// An expression that occurs twice may match the same node or two equal nodes, because exporters
// write both forms.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

struct ChainMatch {
  std::map<std::string, ValueId, std::less<>> values;  // keys are names: "x", "?mask", "$epsilon"
  std::vector<NodeId> nodes;                           // sorted; the last one computes the result
};

// True if a value matches `number` in a pattern, as it matches 0.5 above.
bool IsNumber(const Value& value, double number);

class ChainPattern {
 public:
  // Error kInternal for a text that is not a pattern.
  explicit ChainPattern(std::string_view text);

  // All matches that compute `value`. `producers` is ProducersOf(graph).
  [[nodiscard]] std::vector<ChainMatch> Match(const Graph& graph,
                                              const std::vector<NodeId>& producers,
                                              ValueId value) const;

  struct Term {
    enum class Kind { kNode, kEither, kValue, kAny, kScalar, kTensor, kNumber };
    Kind kind = Kind::kValue;
    OpKind op = OpKind::kIdentity;
    std::string name;
    double number = 0;
    std::vector<std::size_t> operands;
  };

 private:
  std::vector<Term> terms_;  // each term behind its operands; the last one is the root
};

}  // namespace halftone
