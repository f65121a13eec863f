// Generated networks of element-wise operators: what running them together gains, by size and
// dtype.
#pragma once

#include <vector>

#include "bench/generated_network.h"

namespace halftone {

// Three chains, from a tensor of 64 KiB to one that is larger than L3, in each float dtype.
std::vector<GeneratedNetwork> ChainNetworks();

}  // namespace halftone
