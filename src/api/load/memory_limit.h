// --max_memory: what a network needs at least, before it is compiled.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/ir/graph.h"

namespace halftone {

// "512M", "2G", "1500000": bytes, K, M, G and T being powers of 1024. Error kUsage.
std::int64_t ParseMemorySize(std::string_view text);

// Constants, and the operands and results of the node with the largest: no plan of the memory needs
// less. Error kUnsupported naming that node when it is above `limit` bytes; 0: no limit.
void RequireMemory(const Graph& graph, std::int64_t limit);

// As above without constants, which are there already, for a network that is about to run: what the
// machine has (src/base/machine_memory.h) is the limit.
void RequireMachineMemory(const Graph& graph);
// With `machine` bytes; 0: unknown.
void RequireMachineMemory(const Graph& graph, std::int64_t machine);

// What a run may keep of results besides what it needs: 1 GiB, or the limit if that is less. 0: no
// limit.
std::int64_t KeptBytesWithin(std::int64_t limit);

}  // namespace halftone
