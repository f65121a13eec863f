// The target of a destination: operators of the portable kernels, so that it is the same on every
// CPU, with the 8-bit operators and the data sheet of a runtime elsewhere.
#pragma once

#include "src/target/destinations.h"
#include "src/target/target_spec.h"

namespace halftone {

TargetSpec DestinationTarget(const Destination& destination);

}  // namespace halftone
