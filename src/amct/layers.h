// Layers that AMCT, the quantiser inside Ascend's ATC, quantises, and the configuration that leaves
// some of them out.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/quantization/files/amct_config.h"
#include "src/target/target_spec.h"

namespace halftone {

// True for a target on which AMCT decides which layers compute in 8 bits. On other targets the
// format of each operator decides.
bool IsAmctTarget(const TargetSpec& target);

// Layers that AMCT quantises by default, in the order of the graph, from "layers that can be
// quantized" in its guide. Weights must be constant.
// - Conv: 2-D, or 3-D with a dilation of 1 along the depth
// - ConvTranspose: 2-D with dilations of 1
// - Gemm: A is not transposed
// - MatMul: weights of two dimensions
// - AveragePool: 2-D
std::vector<NodeId> AmctLayers(const Graph& graph);

// Names of the nodes that AMCT quantises under a configuration.
std::set<std::string> QuantizedLayers(const Graph& graph, const AmctConfig& config);

// The configuration under which AMCT quantises the layers that `plan` has in 8 bits, and no others.
// `batches` is the number of calibration samples. Weights have a scale for each channel if the
// plan's quantisation has. Everything else is AMCT's default; activations are asymmetric.
//
// Error kUnsupported:
// - a node computes neither in a plain dtype nor in 8 bits with a float16 result;
// - a node in 8 bits is not in AmctLayers();
// - a layer must be left out, and no line of the file can name it alone.
AmctConfig AmctConfigOf(const Graph& graph, const PrecisionPlan& plan, int batches);

}  // namespace halftone
