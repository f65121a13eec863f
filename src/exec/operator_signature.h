// Operator signature, the key of operator tuning: one readable line of text with all facts of a
// call that decide how fast each kernel is. The text never changes for the same call.
//
//   Conv 1x56x56x64: float32 1x56x56x64, const float32 64x64x3x3, const float32 64 -> float32
//   1x56x56x64; channels_last=1 kernel_shape=3,3 pads=1,1,1,1; high_precision; 1 thread
//
// (one line). Facts of fusion and layout stand among the attributes (WithFacts(), src/ir/fusion.h).
// The values of weights and of the slopes of a fused PRelu are left out. Constant integers of up to
// 16 elements (axes, bounds) stand with their values. A signature is a key of the knowledge base,
// fixed by a golden test: a change needs a new column or table there.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kernels/kernel_table.h"
#include "src/ir/graph.h"

namespace halftone {

std::string OperatorSignature(const KernelQuery& query, int threads);

// Tuning key of an operator, such as "Conv 1x56x56x64": the operator and the sizes of its first
// output in ascending order. The key is the same in every layout and dtype. It is the text of a
// signature before the colon.
std::string_view PlaceOf(std::string_view signature);

// The signature without the implementation mode. A kernel of mode `default` takes as long in every
// mode.
std::string WithoutMode(std::string_view signature);

// True if the operator was timed on `threads` threads.
bool IsOnThreads(std::string_view signature, int threads);

// Tuning keys that some plan of this graph can produce: the keys of its nodes, of their fusions in
// float32, and of the casts, transposes, copies and roundings that plans and layouts add to a
// value. A plan that fuses otherwise may have further keys; its operators with these keys stay
// untuned. A tuned operator with another key has no influence on the network.
std::set<std::string, std::less<>> PlacesOf(const Graph& graph);

// Operators of the steps whose keys PlacesOf() returns.
std::set<OpKind> OperatorsOf(const Graph& graph);

// Operator of a signature; empty if the text begins with no operator.
std::optional<OpKind> OperatorOf(std::string_view signature);

}  // namespace halftone
