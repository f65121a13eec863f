// File of --fusion_switch_file of the Ascend tools, which switches fusions off by name. The guides
// of ATC and AOE show two forms: JSON with groups, or a line "<name>:on" or "<name>:off" for each
// fusion.
//
//   {"Switch": {"GraphFusion": {"fold_batch_norm": "off"}, "UBFusion": {"ALL": "off"}}}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/passes/passes.h"

namespace halftone {

// Parses the content of a file and returns the fusions that it switches off. "ALL" means all
// fusions of its JSON group, or in a line all fusions of all groups. The name of a single fusion
// overrides it: {"ALL": "off", "matmul_to_gemm": "on"} leaves this fusion on. Empty lines are
// skipped. The content is JSON if its first character other than blanks is '{', '[' or '"'.
// `unknown`, unless null, receives the names of fusions that do not exist here; files of Ascend
// installations have many of them. Error kUsage naming `file_name`: as ParseStrictJson(), another
// structure, an unknown group, a value other than on and off, a line of another form, a name in two
// lines.
FusionNames ParseFusionSwitches(std::string_view content, std::string_view file_name,
                                std::vector<std::string>* unknown = nullptr);

// The content of a file, in JSON, that switches the fusions in `off` off. ParseFusionSwitches()
// reads it back.
std::string FormatFusionSwitches(const FusionNames& off);

}  // namespace halftone
