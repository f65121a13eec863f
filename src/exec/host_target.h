// The `host` target, derived from the kernel table: what kernels of this CPU compute.
#pragma once

#include "kernels/cpu_isa.h"
#include "src/ir/dtype.h"
#include "src/ir/op_table.h"
#include "src/target/target_spec.h"

namespace halftone {

// Columns, policies and implementation modes of every operator that has a kernel on `isa`, by IR
// type; its AI CPU library is the reference kernels.
TargetSpec HostTarget(IsaMask isa = DetectIsa());

// Dtype columns of one operator whose kernels serve `dtypes` (of the operand that carries the
// precision): one for each assignment of the letters of its signature, float16 first, then float32,
// bfloat16 and the rest. Without implementation modes.
LibraryOp HostColumns(const OpInfo& info, DTypeSet dtypes);

}  // namespace halftone
