// The compression parameters of MNNConvert with the bits of each operator's weights.
#pragma once

#include <string_view>
#include <vector>

#include "src/export/file_nodes.h"

namespace halftone {

inline constexpr std::size_t kMostMnnBytes = 64U << 20U;

// `json`, which MNNConvert --weightQuantBits=8 --compressionParamsFile wrote, with the "bits" of
// all weights of the operators of `nodes`, 8 or 0 for floating point; in the spelling of the file,
// "opName" or "op_name". Members keep their order and values. MNN calls an operator by the name of
// its result; one that it made of a MatMul has "__matmul_converted" behind. `where`: the file's
// name. Losses: operators that the file does not have, and 16-bit types, which it cannot say.
// Errors kUsage, "<where>: ...": not JSON, no such file, none of the operators in it; kUnsupported:
// no node in 8 bits. Source: MNN, tools/converter/source/common/CommonUtils.cpp and
// schema/proto/MNN_compression.proto.
ExportedText PatchMnnCompression(std::string_view json, std::string_view where,
                                 const std::vector<PlannedNode>& nodes);

}  // namespace halftone
