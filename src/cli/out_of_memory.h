// Handling of a lack of memory anywhere in the program, which then ends with one sentence and exit
// code 1, not by an abort.
//
// The operator new of the program (out_of_memory.cc) records the size that it could not get. main()
// catches the exceptions that reach it. An exception that cannot reach it (on a thread of a
// library, in noexcept code) ends in the handler of std::terminate(), which prints the sentence and
// exits without destructors. Files and banks are then as after a kill: each is complete or absent.
#pragma once

#include <exception>

namespace halftone {

// Installs the handler, and makes the system provide the stack that the handler needs. Call once,
// before any work.
void PrepareForLackOfMemory();

// Prints one sentence on standard error without an allocation. Returns the exit code.
int PrintLackOfMemory() noexcept;

// If `error` is about memory that the system refused, or about a thread that it did not start,
// prints a sentence on standard error and returns the exit code. Otherwise returns 0.
int PrintLackOfSystem(const std::exception& error) noexcept;

}  // namespace halftone
