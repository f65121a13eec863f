// Op libraries of an Ascend installation: AI Core (aic-<soc>-ops-info*.json) and AI CPU
// (aicpu_kernel.json, tf_kernel.json). docs/reference/targets.md describes the format.
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

// Operator types of one AI Core file, tensors in the order of the ONNX operands. Columns that
// differ only in format, or in tensors that no ONNX operand has, are merged; columns with dtypes
// that halftone has no tensors of are dropped, and so are types without a column. `family` supplies
// the columns of types whose dtypes are not in the file (dynamicFormat), the cube types and the
// implementation modes. Error kUsage naming file, type and key.
AiCoreLibrary ParseOpsInfo(std::string_view text, std::string_view where, const TargetFile& family);

// Operator types of one file of AI CPU kernels; `library` is the default of entries without
// opKernelLib. Types that are switched off (OPS_FLAG_CLOSE) are left out.
AiCpuLibrary ParseAiCpuKernels(std::string_view text, std::string_view where,
                               std::string_view library);

// The ONNX operator with the most operands that has this IR type; null when halftone has none.
const OpInfo* OnnxOperatorOf(std::string_view ir_type);

}  // namespace halftone
