// Generated networks of element-wise operators, which show the gain of fused loops by size and
// dtype.
#pragma once

#include <vector>

#include "labs/fusions/generated_network.h"

namespace halftone {

// Three sequences of operators, each on tensors of 64 KiB to 64 MiB in each float dtype.
std::vector<GeneratedNetwork> ChainNetworks();

}  // namespace halftone
