// Error sentence for memory that the system refuses.
//
// std::bad_alloc does not say how much was requested: the allocator leaves the number here
// (src/cli/out_of_memory.cc for the whole program). Nothing in this file allocates.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace halftone {

// Advice at the end of each sentence about too little memory.
inline constexpr std::string_view kMoreMemory =
    "make the input or the batch smaller, or allow more memory (ulimit -v, the container's limit); "
    "--max_memory says before a run what a network needs";

// Remembers the last request of any thread that the system refused.
void NoteRefusedBytes(std::size_t bytes) noexcept;

// "expected 4294967296 more bytes of memory, the system refused them: make the input ..."; without
// the number where nothing was noted. Cut short to fit `buffer`.
std::string_view LackOfMemory(std::span<char> buffer) noexcept;

inline constexpr std::size_t kLackOfMemoryChars = 512;

}  // namespace halftone
