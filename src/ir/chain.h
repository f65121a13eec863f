// Element-wise operators that run together: what a pass writes and the executable reads.
#pragma once

#include <string_view>

namespace halftone {

// Attribute of a node: the number of its chain (src/passes/chain_elementwise.h), from 1 on. No
// model has it, and no kernel sees it.
inline constexpr std::string_view kChain = "chain";

}  // namespace halftone
