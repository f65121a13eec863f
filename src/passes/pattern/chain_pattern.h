// Operator patterns, written as expressions, and their matches in a graph.
//
//   Mul(x, Sigmoid(x) | HardSigmoid(x))
//   d = Sub(x, ReduceMean(x, @axes));  Div(d, Sqrt(Add(ReduceMean(Mul(d, d), @axes), $epsilon)))
//
//   Name(a, b)   a node of that ONNX type with one output and these operands;
//                Add, Mul, Max and Min commute
//   a | b        one or the other
//   x            any value that is not constant; the same name is the same value everywhere
//   ?name        any value, constant or not
//   $name        a constant of one element
//   @name        a constant
//   0.5          a constant of one element with that value, up to two roundings to its dtype:
//                exporters compute constants such as sqrt(2 / pi) in the dtype of the model
//   name = a;    the name stands for a in what follows
//
// An expression that occurs twice matches one node or two: exporters write both.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

struct ChainMatch {
  std::map<std::string, ValueId, std::less<>> values;  // by name: "x", "?mask", "$epsilon"
  std::vector<NodeId> nodes;                           // sorted; the last computes the result
};

// True if a value matches a number in a pattern.
bool IsNumber(const Value& value, double number);

class ChainPattern {
 public:
  // Error kInternal for a text that is not a pattern.
  explicit ChainPattern(std::string_view text);

  // All matches that compute `value`; empty: none. `producers` as from ProducersOf().
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
  std::vector<Term> terms_;  // operands precede their term; the last is the root
};

}  // namespace halftone
