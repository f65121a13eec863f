// How a single operator can compute on a target: dtypes, implementations, and the plan of a node
// that does so.
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

// How an operator computes.
struct Choice {
  DType dtype = DType::kFloat32;
  ImplMode mode = ImplMode::kDefault;
  bool wide = false;  // a matrix operator of 16 bits whose result is float32

  [[nodiscard]] DType output_dtype() const { return wide ? DType::kFloat32 : dtype; }

  friend bool operator==(const Choice&, const Choice&) = default;
};

// "float16", "float16 high_performance", "float16 to float32"
std::string NameOf(const Choice& choice);

// The column of the target's library with the choice's dtype for every operand that a mode can
// change, and the original dtypes for the others; empty where there is none.
std::optional<NodePrecision> NodeFormOf(const Graph& graph, const Node& node,
                                        const TargetSpec& target, const Choice& choice);

// Every choice of a node among float32 and `dtypes`, float32's first, of one dtype the most exact
// first. Empty where the target has no float32 for the node: there is nothing to compare with.
std::vector<Choice> ChoicesOf(const Graph& graph, const Node& node, const TargetSpec& target,
                              std::span<const DType> dtypes);

// Whether operand or result `index` has the dtype that the precision of the node decides.
bool FollowsModes(std::string_view signature, std::size_t index, DType original);

// Whether a pass put the operand there, such as what is added to the result of a convolution: it
// has the dtype of the result, and the target's tables do not know it.
bool ReadsAsResult(const Node& node, std::size_t input);

}  // namespace halftone
