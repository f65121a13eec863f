// Formats that are no dtype, by node: how a plan with them is said in options, which no file of a
// target can.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Whether operand or result `index` has the format that the precision of the node decides.
bool FollowsModes(std::string_view signature, std::size_t index, DType original);

// Whether a pass put the operand there, such as what is added to the result of a convolution: it
// has the format of the result, and the target's tables do not know it.
bool ReadsAsResult(const Node& node, std::size_t input);

// By own node: "float32_m10"; "float32_m10 to float32" where the results are float32. For the nodes
// of `plan` with a format that is no dtype.
std::map<std::string, std::string> NodeFormatsOf(const Graph& graph, const PrecisionPlan& plan);

// The plan with every format replaced by its dtype.
PrecisionPlan InDTypes(const PrecisionPlan& plan);

// Gives a node of a resolved plan the format of NodeFormatsOf(). Errors kUsage: there is no such
// format; the node computes in another dtype than that of the format.
void ApplyFormat(const Graph& graph, const Node& node, std::string_view text,
                 NodePrecision& precision);

}  // namespace halftone
