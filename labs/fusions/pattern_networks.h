// Generated networks with the patterns that fusions match around products and convolutions.
#pragma once

#include <vector>

#include "labs/fusions/generated_network.h"

namespace halftone {

// Float32 networks with these patterns, of sizes at which the fusions matter.
std::vector<GeneratedNetwork> PatternNetworks();

}  // namespace halftone
