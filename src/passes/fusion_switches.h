// The --fusion_switch_file of the Ascend tools, which switches fusions off by name. Guides of ATC
// and AOE show two kinds: JSON of groups, or a line "<name>:on" or "<name>:off" for each fusion.
//
//   {"Switch": {"GraphFusion": {"fold_batch_norm": "off"}, "UBFusion": {"ALL": "off"}}}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/passes/passes.h"

namespace halftone {

// The fusions that the file switches off. "ALL" means its whole group, in a line all groups; the
// name of one fusion overrides it, so that {"ALL": "off", "matmul_to_gemm": "on"} leaves one. Lines
// may be empty. A text whose first character that is no blank is '{' is JSON. Files of Ascend
// installations name many fusions that do not exist here: these are added to `unknown` when it is
// given. Error kUsage naming `file_name`: as ParseStrictJson(), another structure, an unknown
// group, a value that is neither on nor off; a line with another syntax, a name in two lines.
FusionNames ParseFusionSwitches(std::string_view content, std::string_view file_name,
                                std::vector<std::string>* unknown = nullptr);

// A file that switches these off, the inverse of ParseFusionSwitches().
std::string FormatFusionSwitches(const FusionNames& off);

}  // namespace halftone
