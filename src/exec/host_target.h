// The `host` target, derived from the kernel table: what this CPU really runs.
#pragma once

#include "kernels/cpu_isa.h"
#include "src/ir/dtype.h"
#include "src/ir/op_table.h"
#include "src/target/target_spec.h"

namespace halftone {

// Columns, policies and implementation modes of every operator that has a kernel on `isa`, by IR
// type; the AI CPU library are the reference kernels.
TargetSpec HostTarget(IsaMask isa = DetectIsa());

// The dtype columns of one operator whose kernels serve `dtypes` (of the operand that carries the
// precision): one for each way to fill the letters of its signature, float16 first, then float32,
// bfloat16 and the rest. Without implementation modes.
LibraryOp HostColumns(const OpInfo& info, DTypeSet dtypes);

}  // namespace halftone
