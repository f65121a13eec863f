// Generated networks of what fusions look for behind and inside of products and convolutions.
#pragma once

#include <vector>

#include "bench/generated_network.h"

namespace halftone {

// Each pattern in a size where the fusion matters, float32.
std::vector<GeneratedNetwork> PatternNetworks();

}  // namespace halftone
