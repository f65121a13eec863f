// <model>.quantization.cfg of RKNN-Toolkit, with layers that stay in floating point.
#pragma once

#include <string_view>
#include <vector>

#include "src/export/file_nodes.h"

namespace halftone {

// Most bytes of a file that is patched.
inline constexpr std::size_t kMostRknnConfigBytes = 64U << 20U;

// Adds an entry to `config` for each of `nodes` that is not in 8 bits, by the name of its result.
// rknn.hybrid_quantization_step1() wrote `config`.
//
//   custom_quantize_layers:        toolkit 2: float16, the only floating point
//       conv1_out: float16
//   customized_quantize_layers:    toolkit 1: float32
//
// Entries for other layers stay, and so do all bytes outside this map. `where`: the file's name.
// Losses: nodes whose result the file does not list under quantize_parameters, and types that the
// toolkit does not have.
//
// Error kUsage; the message begins with `where`, and with the line if the fault is in one:
// - the file is not YAML, or of another kind;
// - the file has none of the results;
// - the map is no block of lines.
//
// Error kUnsupported: no node is in 8 bits. Source: RKNN-Toolkit2, hybrid quantization.
ExportedText PatchRknnConfig(std::string_view config, std::string_view where,
                             const std::vector<PlannedNode>& nodes);

}  // namespace halftone
