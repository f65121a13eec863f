// The .param of an ncnn network, with masks of layers that stay out of 16 bits or 8 bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Most bytes of a file that is patched.
inline constexpr std::size_t kMostParamBytes = 64U << 20U;

// A node and the features that its layer must not use: bits of ncnn's layer parameter 31.
struct NcnnMask {
  // Name of the ONNX node, which onnx2ncnn gives to the layer; empty if several nodes have it.
  std::string name;
  std::string output;   // first result of the ONNX node; finds the layer if the name does not
  NumericFormat asked;  // format of the plan
  std::uint32_t bits = 0;
};

// Masks of the nodes that need one:
// - float32: 1 | 2 | 4 (no float16 arithmetic, no float16 storage, no bfloat16 storage)
// - bfloat16: 1 | 2
// - float16, in a plan with bfloat16: 4
// - each of these, in a plan with 8 bits: 8 (no int8)
//
// Error kUnsupported: a plan in float32 alone. Source: ncnn,
// docs/developer-guide/layer-feat-mask.md.
std::vector<NcnnMask> NcnnMasksOf(const Graph& network, const PrecisionPlan& plan);

// Adds " 31=<bits>" at the end of the lines of layers that a mask names; a 31 that stands there
// gets the bits too. All other bytes are those of `param`, and patching twice is patching once.
// Layers are found by name, then by a result. `where`: the file's name. Losses: masks without a
// layer, and formats of float32 tensors, which stand in float32.
//
// Error kUsage; the message begins with `where`, and with the line if the fault is in one:
// - the file is no text .param;
// - a line is no layer;
// - a 31 is no whole number;
// - the number of layers differs from that in the second line;
// - no mask has a layer.
ExportedText PatchNcnnParam(std::string_view param, std::string_view where,
                            const std::vector<NcnnMask>& masks);

}  // namespace halftone
