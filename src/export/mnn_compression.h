// Compression parameters of MNNConvert, with the bits of each operator's weights.
#pragma once

#include <string_view>
#include <vector>

#include "src/export/file_nodes.h"

namespace halftone {

// Most bytes of a file that is patched.
inline constexpr std::size_t kMostMnnBytes = 64U << 20U;

// Sets "bits" of the weights of the operators of `nodes` in `json`: 8, or 0 for floating point.
// MNNConvert --weightQuantBits=8 --compressionParamsFile wrote `json`, in either spelling, "opName"
// or "op_name". Members keep their order, and other members their values. MNN names an operator by
// its result, with "__matmul_converted" behind it if it was a MatMul. `where`: the file's name.
// Losses: operators in 8 bits, because the file holds 8 bits for weights alone, and operators in
// 16-bit types, which the file cannot hold.
//
// Error kUsage, with a message that begins with `where`: the file is not JSON, is of another kind,
// or has none of the operators. Error kUnsupported: no node is in 8 bits. Source: MNN,
// tools/converter/source/common/CommonUtils.cpp and schema/proto/MNN_compression.proto.
ExportedText PatchMnnCompression(std::string_view json, std::string_view where,
                                 const std::vector<PlannedNode>& nodes);

}  // namespace halftone
