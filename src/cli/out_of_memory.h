// Too little memory, wherever it shows: one sentence and the exit code of a network that cannot be
// run, never an abort.
//
// The program's operator new (out_of_memory.cc) notes what it could not get. What throws within
// reach of main() ends there. The rest (a worker's thread, code that lets no exception out) ends in
// the handler of std::terminate(), which prints and leaves without a destructor: files and banks
// are then as after a kill, whole or not there.
#pragma once

#include <exception>

namespace halftone {

// Once, before any work. Takes room on the stack that it may need when nothing else is left.
void PrepareForLackOfMemory();

// One sentence on standard error; allocates nothing. The exit code.
int PrintLackOfMemory() noexcept;

// Where `error` stands for a thread that the system did not start, or memory that it did not give:
// says so as above and returns the exit code; else 0.
int PrintLackOfSystem(const std::exception& error) noexcept;

}  // namespace halftone
