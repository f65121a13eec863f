// Generated networks of element-wise operators: the gain of fused loops, by size and dtype.
#pragma once

#include <vector>

#include "labs/fusions/generated_network.h"

namespace halftone {

// Three sequences of operators, from a tensor of 64 KiB to one larger than L3, in each float dtype.
std::vector<GeneratedNetwork> ChainNetworks();

}  // namespace halftone
