// Operator signature, the key of operator tuning: everything of a call that decides how fast each
// kernel is, as one readable line of text that never changes for the same call.
//
//   Conv 1x56x56x64: float32 1x56x56x64, const float32 64x64x3x3, const float32 64 -> float32
//   1x56x56x64; channels_last=1 kernel_shape=3,3 pads=1,1,1,1; high_precision; 1 thread
//
// (one line). Fusion and layout stand among the attributes (WithFacts(), src/ir/fusion.h). Weights
// count by type, not by value, as do the slopes of a fused PRelu; constant integers of up to 16
// elements (axes, bounds) by value. It is a key of the knowledge base, fixed by a golden test: a
// change needs a new column or table there.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kernels/kernel_table.h"
#include "src/ir/graph.h"

namespace halftone {

std::string OperatorSignature(const KernelQuery& query, int threads);

// Tuning key of an operator, "Conv 1x56x56x64": the operator and the sizes of its first output in
// ascending order, which are the same in every layout and dtype. It is the text of a signature
// before the colon.
std::string_view PlaceOf(std::string_view signature);

// The signature without the implementation mode: a kernel of mode `default` takes as long in every
// mode.
std::string WithoutMode(std::string_view signature);

// True if the operator was timed on `threads` threads.
bool IsOnThreads(std::string_view signature, int threads);

// Tuning keys that some plan of this graph can produce: those of its nodes, of their fusions in
// float32, and of the casts, transposes, copies and roundings of each value, which plans and
// layouts add. A plan that fuses otherwise may have further keys, which stay untuned. A tuned
// operator with another key has no influence on the network.
std::set<std::string, std::less<>> PlacesOf(const Graph& graph);

// Operators of the steps that PlacesOf() covers.
std::set<OpKind> OperatorsOf(const Graph& graph);

// Operator of a signature; empty: the text is no signature.
std::optional<OpKind> OperatorOf(std::string_view signature);

}  // namespace halftone
