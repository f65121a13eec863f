// Layers that AMCT, Ascend's quantiser inside ATC, quantises, and the configuration that leaves
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

// True for a target on which AMCT, and not the format of each operator, decides which layers are in
// 8 bits.
bool IsAmctTarget(const TargetSpec& target);

// Layers that AMCT quantises where its configuration says nothing of them, by its guide, "layers
// that can be quantized": Conv (2-D; 3-D with a dilation of 1 along the depth), ConvTranspose (2-D,
// dilation 1), Gemm (A not transposed) and MatMul with constant weights of two dimensions,
// AveragePool. In the order of the graph.
std::vector<NodeId> AmctLayers(const Graph& graph);

// Names of the nodes that are quantised under a configuration.
std::set<std::string> QuantizedLayers(const Graph& graph, const AmctConfig& config);

// The configuration under which AMCT quantises the layers that `plan` has in 8 bits, and no other:
// asymmetric activations, everything else by AMCT's defaults. `batches`: samples of the
// calibration. Error kUnsupported: a node in 8 bits that is no such layer, or in another format; a
// layer that no line of the file can name alone.
AmctConfig AmctConfigOf(const Graph& graph, const PrecisionPlan& plan, int batches);

}  // namespace halftone
