// Lack of memory anywhere: one sentence and the exit code of a network that cannot be run, never an
// abort.
//
// The program's operator new (out_of_memory.cc) records the size it could not get. Exceptions
// within reach of main() end there. Others (a worker's thread, noexcept code) end in the handler of
// std::terminate(), which prints and exits without destructors: files and banks are then as after a
// kill, complete or absent.
#pragma once

#include <exception>

namespace halftone {

// Call once, before any work. Reserves stack space for the time when no memory is left.
void PrepareForLackOfMemory();

// Prints one sentence on standard error without taking memory. Returns the exit code.
int PrintLackOfMemory() noexcept;

// For an `error` about a thread that the system did not start, or memory that it refused: prints as
// PrintLackOfMemory() and returns the exit code; else 0.
int PrintLackOfSystem(const std::exception& error) noexcept;

}  // namespace halftone
