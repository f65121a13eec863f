// Counts the allocations of the whole process: every thread, every library.
#pragma once

#include <cstdint>

namespace halftone::testing {

// True if allocations are counted: not under a sanitizer, which has an allocator of its own.
bool CountsHeap();

// Calls of malloc, calloc, realloc, aligned_alloc, memalign and posix_memalign since the process
// began, operator new included.
std::int64_t HeapCalls();

}  // namespace halftone::testing
