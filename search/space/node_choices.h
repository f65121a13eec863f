// Choices of a single operator on a target: number formats, implementations, and the precision of
// the node for each choice.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/target/target_spec.h"

namespace halftone {

// Number format and implementation of an operator.
struct Choice {
  NumericFormat format;
  ImplMode mode = ImplMode::kDefault;
  bool wide = false;  // true: a matrix operator in a reduced format with a float32 result

  // Format of the results; float32 for a dynamic format.
  [[nodiscard]] NumericFormat output_format() const {
    return wide || format.is_dynamic() ? NumericFormat() : format;
  }

  friend bool operator==(const Choice&, const Choice&) = default;
};

// A choice that is not searched, because a machine profile predicts that it is slower than float32.
struct SlowChoice {
  std::string step;  // node that names the step
  Choice choice;
  double ratio = 1;  // predicted time over that in float32

  friend bool operator==(const SlowChoice&, const SlowChoice&) = default;
};

// "float16", "float16 high_performance", "float16 to float32"
std::string NameOf(const Choice& choice);

// Precision of a node in a choice. Operands that a mode can change have the format of the choice,
// results that a mode can change have its output format, and all others keep their dtypes. Empty if
// no column of the target's op library has these dtypes.
std::optional<NodePrecision> NodeFormOf(const Graph& graph, const Node& node,
                                        const TargetSpec& target, const Choice& choice);

// Every choice of a node in float32 or one of `formats`: float32 first, then `formats` in order.
// Within a format, results in this format come before float32 results, and exact implementations
// before fast ones. Empty if the target cannot run the node in float32, because there is no
// reference then.
std::vector<Choice> ChoicesOf(const Graph& graph, const Node& node, const TargetSpec& target,
                              std::span<const NumericFormat> formats);

}  // namespace halftone
