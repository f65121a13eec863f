// Number formats that are no dtype, by node: options that give them to a plan, since no file of a
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

// Format of a node that is float16 in its options and whose operands are quantised, as in a layer
// of AMCT (src/amct).
inline constexpr std::string_view kQuantizedInFloat16 = "qint8 to float16";

// True if operand or result `index` has the format that the precision of the node decides.
bool FollowsModes(std::string_view signature, std::size_t index, DType original);

// True if a pass added the operand, such as a residual operand of a convolution: it has the format
// of the result, and the tables of the target do not list it.
bool ReadsAsResult(const Node& node, std::size_t input);

// The format of each own node of `plan` whose format is no dtype: "float32_m10"; "float32_m10 to
// float32" where the results are float32; "qint8 to float16" for a node that is float16 in its
// options and whose operands are quantised.
std::map<std::string, std::string> NodeFormatsOf(const Graph& graph, const PrecisionPlan& plan);

// True if an operand or result is in a scaled format.
bool UsesScales(const NodePrecision& precision);

// True if the plan of the node depends on the quantisation. For a node in a dynamic format it does
// if the quantisation says how weights are quantised.
bool TakesScales(const NodePrecision& precision, const SharedQuantization& quantization);

// The plan with every format replaced by its dtype.
PrecisionPlan InDTypes(const PrecisionPlan& plan);

// Gives a node of a resolved plan the format of NodeFormatsOf(). Error kUsage: an unknown format;
// a node that computes in another dtype than that of the format.
void ApplyFormat(const Graph& graph, const Node& node, std::string_view text,
                 NodePrecision& precision);

}  // namespace halftone
