// What operator tuning knows an operator by: everything of a call that decides how fast each kernel
// is, as one line of text that people can read and that never changes for the same call.
//
//   Conv 1x56x56x64: float32 1x56x56x64, const float32 64x64x3x3, const float32 64 -> float32
//   1x56x56x64; channels_last=1 kernel_shape=3,3 pads=1,1,1,1; high_precision; 1 thread
//
// (one line). Weights count by type, not by value; constant integers of up to 16 elements (axes,
// bounds) by value. It is a key of the knowledge base: a change is a new column or table there,
// and a golden test says so.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kernels/kernel_table.h"
#include "src/ir/graph.h"

namespace halftone {

std::string OperatorSignature(const KernelQuery& query, int threads);

// "Conv 1x56x56x64": the operator and the sizes of its first output in ascending order, which are
// the same in every layout and dtype. The part of a signature before the colon.
std::string_view PlaceOf(std::string_view signature);

// Whether the operator was timed on so many threads.
bool IsOnThreads(std::string_view signature, int threads);

// The places that steps of the graph can have: its nodes, and what they are fused to in float32
// (a plan that parts them otherwise may have others, which stay untuned); casts, transposes, copies
// and roundings, which plans and layouts add, are among them for every value. A tuned operator with
// another place has no influence on the network.
std::set<std::string, std::less<>> PlacesOf(const Graph& graph);

// The operators of these steps.
std::set<OpKind> OperatorsOf(const Graph& graph);

// The operator of a signature; nothing: the text is none.
std::optional<OpKind> OperatorOf(std::string_view signature);

}  // namespace halftone
