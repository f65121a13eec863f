// The .param of an ncnn network with masks of layers that stay out of 16 bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

inline constexpr std::size_t kMostParamBytes = 64U << 20U;

// A node and what its layer must not use: bits of ncnn's layer parameter 31.
struct NcnnMask {
  std::string name;    // of the ONNX node, which onnx2ncnn gives to the layer
  std::string output;  // of the ONNX node, which names the blob otherwise
  NumericFormat asked;
  std::uint32_t bits = 0;
};

// Masks of the nodes that need one: 1 | 2 | 4 (no float16 arithmetic, no float16 and no bfloat16
// storage) for float32, 1 | 2 for bfloat16, 4 for float16 in a plan with bfloat16, and 8 (no int8)
// for each of them in a plan with 8 bits. Error kUnsupported: a plan in float32 alone. Source:
// ncnn, docs/developer-guide/layer-feat-mask.md.
std::vector<NcnnMask> NcnnMasksOf(const Graph& network, const PrecisionPlan& plan);

// `param` with " 31=<bits>" at the end of the lines of layers that a mask names, or'ed with a 31
// that stands there; all other bytes are those of `param`, and patching twice is patching once.
// Layers are found by name, then by a result. `where`: the file's name. Losses: masks without a
// layer. Errors kUsage, "<where>:<line>: ...": not a text .param, a line that is no layer, another
// number of layers than the second line says.
ExportedText PatchNcnnParam(std::string_view param, std::string_view where,
                            const std::vector<NcnnMask>& masks);

}  // namespace halftone
