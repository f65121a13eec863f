// Parser of op libraries of an Ascend installation: AI Core (aic-<family>-ops-info*.json) and AI
// CPU (aicpu_kernel.json, tf_kernel.json). docs/reference/targets.md describes the format.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "src/target/target_file.h"
#include "src/target/target_spec.h"

namespace halftone {

using AiCoreLibrary = std::map<std::string, LibraryOp, std::less<>>;
using AiCpuLibrary = std::map<std::string, AiCpuOp, std::less<>>;

// Parses an AI Core file. Tensors of the result are in the order of the ONNX operands. Columns that
// differ only in formats, or only in tensors that are no ONNX operand, become one. Columns with a
// dtype that halftone does not have are left out, and so are operator types without a column.
//
// `family`: target file that gives cube types, implementation modes, and the columns of types whose
// dtypes are not in the file (dynamicFormat). `where`: name of the file. Error kUsage, which names
// file, type and key.
AiCoreLibrary ParseOpsInfo(std::string_view text, std::string_view where, const TargetFile& family);

// Parses a file of AI CPU kernels. `library`: AiCpuOp::library of entries without opKernelLib.
// Types that are switched off (OPS_FLAG_CLOSE) are left out. Error kUsage, which names file, type
// and key.
AiCpuLibrary ParseAiCpuKernels(std::string_view text, std::string_view where,
                               std::string_view library);

// Returns the operator that has this IR type; of several, the one with the longest signature of
// operands. Null: halftone has none.
const OpInfo* OnnxOperatorOf(std::string_view ir_type);

}  // namespace halftone
