// Formats without a dtype of their own, by node: a plan with them as options, since no file of a
// target names them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Format of a node that its options have in float16 and whose operands are quantised: what AMCT
// makes of a layer (src/amct).
inline constexpr std::string_view kQuantizedInFloat16 = "qint8 to float16";

// Whether operand or result `index` has the format that the precision of the node decides.
bool FollowsModes(std::string_view signature, std::size_t index, DType original);

// Whether a pass added the operand, such as a residual operand of a convolution: it has the format
// of the result, and the tables of the target do not list it.
bool ReadsAsResult(const Node& node, std::size_t input);

// Format per own node of `plan` that has one which is no dtype: "float32_m10"; "float32_m10 to
// float32" where the results are float32; "qint8 to float16" of a node that its options have in
// float16, whose operands are quantised.
std::map<std::string, std::string> NodeFormatsOf(const Graph& graph, const PrecisionPlan& plan);

// True if an operand or result is in a scaled format.
bool UsesScales(const NodePrecision& precision);

// True if the plan of the node depends on the quantisation: one in a dynamic format does where that
// says how weights are quantised.
bool TakesScales(const NodePrecision& precision, const SharedQuantization& quantization);

// The plan with every format replaced by its dtype.
PrecisionPlan InDTypes(const PrecisionPlan& plan);

// Gives a node of a resolved plan the format of NodeFormatsOf(). Error kUsage: an unknown format;
// a node that computes in another dtype than that of the format.
void ApplyFormat(const Graph& graph, const Node& node, std::string_view text,
                 NodePrecision& precision);

}  // namespace halftone
