// Generated networks with the patterns that fusions match around products and convolutions.
#pragma once

#include <vector>

#include "labs/fusions/generated_network.h"

namespace halftone {

// One float32 network for each pattern, of a size where the fusion matters.
std::vector<GeneratedNetwork> PatternNetworks();

}  // namespace halftone
