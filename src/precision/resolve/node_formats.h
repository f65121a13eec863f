// Number formats that are no dtype, such as qint8. PrecisionOptions::node_formats has them as
// texts; these functions convert between the texts and a plan.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Format of a node whose options give it float16 and whose operands are quantised, as in a layer of
// AMCT (src/amct).
inline constexpr std::string_view kQuantizedInFloat16 = "qint8 to float16";

// True if the precision of the node decides the format of operand or result `index` of this
// signature (src/ir/op_table.h).
bool FollowsModes(std::string_view signature, std::size_t index, DType original);

// True if a pass added the operand, such as the residual operand of a convolution. Such an operand
// has the format of the result, and the tables of targets do not list it.
bool ReadsAsResult(const Node& node, std::size_t input);

// The texts of the nodes of `plan` with a format that is no dtype: "float32_m10" if results have
// the format too, "float32_m10 to float32" if they are float32, "qint8 to float16" if they are
// float16. The results of a dynamic format are always float32, so it has no such ending.
std::map<std::string, std::string> NodeFormatsOf(const Graph& graph, const PrecisionPlan& plan);

// True if an operand or result of the node is in a scaled format.
bool UsesScales(const NodePrecision& precision);

// True if the results of the node depend on the quantisation: if UsesScales(), or if the node reads
// a dynamic format and the quantisation decides how its weights are quantised.
bool TakesScales(const NodePrecision& precision, const SharedQuantization& quantization);

// The plan in dtypes, without quantisation. Every format is replaced by its dtype, except that a
// scaled format in a node of kQuantizedInFloat16 becomes float16.
PrecisionPlan InDTypes(const PrecisionPlan& plan);

// Gives a node of a resolved plan the format that `text`, as from NodeFormatsOf(), states. Error
// kUsage: an unknown format, a node whose options give it another dtype than that of the format, or
// a dynamic format for a node that is no matrix operator.
void ApplyFormat(const Graph& graph, const Node& node, std::string_view text,
                 NodePrecision& precision);

}  // namespace halftone
