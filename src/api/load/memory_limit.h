// --max_memory: least memory of a network, checked before compilation.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/ir/graph.h"

namespace halftone {

// "512M", "2G", "1500000": bytes, K, M, G and T being powers of 1024. Error kUsage.
std::int64_t ParseMemorySize(std::string_view text);

// Requires that all constants, with the operands and results of the node that has the most bytes of
// these, fit in `limit` bytes (0: no limit): no memory plan needs less. Error kUnsupported names
// that node.
void RequireMemory(const Graph& graph, std::int64_t limit);

// The same check before a network runs, without the constants, which are loaded already: the limit
// is the memory of the machine (src/base/machine_memory.h).
void RequireMachineMemory(const Graph& graph);
// The same with `machine` bytes; 0: unknown.
void RequireMachineMemory(const Graph& graph, std::int64_t machine);

// Bytes of results that a run may cache: 1 GiB, or the limit if that is less. 0: no limit.
std::int64_t KeptBytesWithin(std::int64_t limit);

}  // namespace halftone
