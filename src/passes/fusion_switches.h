// The --fusion_switch_file of the Ascend tools: JSON that switches fusions off by name.
//
//   {"Switch": {"GraphFusion": {"fold_batch_norm": "off"}, "UBFusion": {"ALL": "off"}}}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/passes/passes.h"

namespace halftone {

// The fusions that the file switches off. "ALL" means its whole group; the name of one fusion
// overrides it, so that {"ALL": "off", "matmul_to_gemm": "on"} leaves one. Files of Ascend
// installations name many fusions that do not exist here: these are added to `unknown` when it is
// given. Error kUsage naming `file_name`: as ParseStrictJson(), another structure, an unknown
// group, a value that is neither on nor off.
FusionNames ParseFusionSwitches(std::string_view content, std::string_view file_name,
                                std::vector<std::string>* unknown = nullptr);

// A file that switches these off, the inverse of ParseFusionSwitches().
std::string FormatFusionSwitches(const FusionNames& off);

}  // namespace halftone
