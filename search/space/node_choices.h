// Choices of a single operator on a target: formats, implementations, and the plan of a node for
// each.
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
  bool wide = false;  // a matrix operator in a reduced format with a float32 result

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

// The column of the target's op library that has the choice's format for every operand that a mode
// can change, and the original dtype for every other; empty if there is none.
std::optional<NodePrecision> NodeFormOf(const Graph& graph, const Node& node,
                                        const TargetSpec& target, const Choice& choice);

// Every choice of a node in float32 or one of `formats`: the float32 choices first, and within a
// format the most exact first. Empty if the target cannot run the node in float32, as there is no
// reference then.
std::vector<Choice> ChoicesOf(const Graph& graph, const Node& node, const TargetSpec& target,
                              std::span<const NumericFormat> formats);

}  // namespace halftone
