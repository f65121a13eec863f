// Generated networks with the patterns that fusions match around products and convolutions.
#pragma once

#include <vector>

#include "labs/fusions/generated_network.h"

namespace halftone {

// Each pattern in a size where the fusion matters, float32.
std::vector<GeneratedNetwork> PatternNetworks();

}  // namespace halftone
