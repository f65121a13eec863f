// The compression parameters of MNNConvert with the bits of each operator's weights.
#pragma once

#include <string_view>
#include <vector>

#include "src/export/file_nodes.h"

namespace halftone {

inline constexpr std::size_t kMostMnnBytes = 64U << 20U;

// Sets "bits" of all weights of the operators of `nodes` in `json`, which MNNConvert
// --weightQuantBits=8 --compressionParamsFile wrote: 8, or 0 for floating point. The file may have
// either spelling, "opName" or "op_name"; members keep their order and values. MNN calls an
// operator by the name of its result, with "__matmul_converted" behind if it made it of a MatMul.
// `where`: the file's name. Losses: operators that the file does not have, and 16-bit types, which
// it cannot hold.
// Errors kUsage, "<where>: ...": not JSON, a file of another kind, none of the operators in it;
// kUnsupported: no node in 8 bits. Source: MNN, tools/converter/source/common/CommonUtils.cpp and
// schema/proto/MNN_compression.proto.
ExportedText PatchMnnCompression(std::string_view json, std::string_view where,
                                 const std::vector<PlannedNode>& nodes);

}  // namespace halftone
