// The `host` target, derived from the kernel table: what this CPU really runs.
#pragma once

#include "kernels/cpu_isa.h"
#include "src/target/target_spec.h"

namespace halftone {

TargetSpec HostTarget(IsaMask isa = DetectIsa());

}  // namespace halftone
