// Error sentence for memory that the system refuses.
//
// std::bad_alloc does not say how much memory was requested, so the allocator of the program notes
// the number here (src/cli/out_of_memory.cc). These functions allocate nothing; any thread may call
// them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace halftone {

// Advice at the end of each sentence about too little memory.
inline constexpr std::string_view kMoreMemory =
    "make the input or the batch smaller, or allow more memory (ulimit -v, the container's limit); "
    "--max_memory says before a run what a network needs";

// Stores the size of a refused request. The latest request of all threads counts.
void NoteRefusedBytes(std::size_t bytes) noexcept;

// Writes the sentence into `buffer`, cut to fit, and returns it: "expected 4294967296 more bytes of
// memory, the system refused them: make the input ...". The number is left out if none was noted.
// kLackOfMemoryChars are enough.
std::string_view LackOfMemory(std::span<char> buffer) noexcept;

inline constexpr std::size_t kLackOfMemoryChars = 512;

}  // namespace halftone
