// The `host` target, derived from the kernel table: the operators and dtypes of the kernels of this
// CPU.
#pragma once

#include "kernels/cpu_isa.h"
#include "src/ir/dtype.h"
#include "src/ir/op_table.h"
#include "src/target/target_spec.h"

namespace halftone {

// Columns, policies and implementation modes by IR type, of every operator that has a kernel on
// `isa`. The AI CPU library of the target is the reference kernels.
TargetSpec HostTarget(IsaMask isa = DetectIsa());

// Dtype columns of one operator, without implementation modes. Each assignment of dtypes to the
// letters of its signature is a column: float16 first, then float32, bfloat16 and the rest. Its
// kernels serve `dtypes` for the operand that carries the precision.
LibraryOp HostColumns(const OpInfo& info, DTypeSet dtypes);

}  // namespace halftone
