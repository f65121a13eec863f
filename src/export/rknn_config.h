// The <model>.quantization.cfg of RKNN-Toolkit with layers that stay in floating point.
#pragma once

#include <string_view>
#include <vector>

#include "src/export/file_nodes.h"

namespace halftone {

inline constexpr std::size_t kMostRknnConfigBytes = 64U << 20U;

// `config`, which rknn.hybrid_quantization_step1() wrote, with an entry for each of `nodes` that is
// not in 8 bits, by the name of its result:
//
//   custom_quantize_layers:        toolkit 2: float16, the only floating point
//       conv1_out: float16
//   customized_quantize_layers:    toolkit 1: float32
//
// Entries for other layers stay, and so do all other bytes. `where`: the file's name. Losses: nodes
// whose result the file does not list under quantize_parameters, and types that the toolkit does
// not have. Errors kUsage, "<where>:<line>: ...": not YAML, a file of another kind, none of the
// results in it; kUnsupported: no node in 8 bits. Source: RKNN-Toolkit2, hybrid quantization.
ExportedText PatchRknnConfig(std::string_view config, std::string_view where,
                             const std::vector<PlannedNode>& nodes);

}  // namespace halftone
