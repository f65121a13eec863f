// Mark of element-wise operators that run as one fused loop: a pass writes it, lowering reads it.
#pragma once

#include <string_view>

namespace halftone {

// Attribute of a node: the number of its fused loop (src/passes/fuse/chain_elementwise.h), from 1
// on. No model has it, and no kernel sees it.
inline constexpr std::string_view kChain = "chain";

}  // namespace halftone
