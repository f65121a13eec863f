// The target of a destination: the operators of the portable kernels, the same on every CPU, with
// the 8-bit operators and the data sheet of the destination's runtime.
#pragma once

#include "src/target/destinations.h"
#include "src/target/target_spec.h"

namespace halftone {

TargetSpec DestinationTarget(const Destination& destination);

}  // namespace halftone
