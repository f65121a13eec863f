// The --fusion_switch_file of the Ascend tools: JSON that switches fusions off by name.
//
//   {"Switch": {"GraphFusion": {"fold_batch_norm": "off"}, "UBFusion": {"ALL": "off"}}}
#pragma once

#include <string>
#include <string_view>

#include "src/passes/passes.h"

namespace halftone {

// The fusions that the file switches off. "ALL" means all of its group; a name of its own wins over
// it, so that {"ALL": "off", "matmul_to_gemm": "on"} leaves one. Error kUsage naming `file_name`:
// as ParseStrictJson(), another structure, an unknown group or name (listing those there are), a
// value that is neither on nor off.
FusionNames ParseFusionSwitches(std::string_view content, std::string_view file_name);

// A file that switches these off: ParseFusionSwitches() gives them back.
std::string FormatFusionSwitches(const FusionNames& off);

}  // namespace halftone
