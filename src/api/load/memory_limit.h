// Checks that a network fits in memory, before it is compiled (--max_memory).
#pragma once

#include <cstdint>
#include <string_view>

#include "src/ir/graph.h"

namespace halftone {

// Parses a number of bytes with an optional K, M, G or T (powers of 1024): "512M", "1500000". Error
// kUsage for another text or a number below 1.
std::int64_t ParseMemorySize(std::string_view text);

// Checks a lower bound on the memory of the network: the bytes of all constants plus those of the
// operands and results of the largest node. Error kUnsupported, naming that node, if the bound
// exceeds `limit` bytes (0: no limit).
void RequireMemory(const Graph& graph, std::int64_t limit);

// Checks before a run that the operands and results of the largest node fit in the memory of the
// machine (src/base/machine_memory.h). Constants do not count, because they are loaded already.
// Error kUnsupported, naming the node.
void RequireMachineMemory(const Graph& graph);
// Does the same for a machine with `machine` bytes; 0: unknown, no check.
void RequireMachineMemory(const Graph& graph, std::int64_t machine);

// Bytes of results that a run may cache: 1 GiB or `limit`, whichever is less; `limit` 0: 1 GiB.
std::int64_t KeptBytesWithin(std::int64_t limit);

}  // namespace halftone
