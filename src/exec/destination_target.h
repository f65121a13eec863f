// Target of a destination (src/target/destinations.h): the operators of the portable kernels (the
// same on every CPU), the formats float32 and qint8, and the peak rates of the destination.
#pragma once

#include "src/target/destinations.h"
#include "src/target/target_spec.h"

namespace halftone {

// The target points to `destination`, which must outlive it.
TargetSpec DestinationTarget(const Destination& destination);

}  // namespace halftone
