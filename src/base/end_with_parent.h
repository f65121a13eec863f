// End of a program with the program that started it, even where that is killed by SIGKILL.
//
// posix_spawn(), which RunProgram() uses, cannot ask the system for a signal at the death of the
// parent (prctl, PR_SET_PDEATHSIG), and fork() in a program with threads may not either. So the
// parent names itself in a variable of the child's environment, and the child asks at its start.
#pragma once

#include <string>

namespace halftone {

// "HALFTONE_PARENT=<process id>" of this process, for the environment of a child.
std::string ParentWord();

// Where ParentWord() is in the environment: the system sends SIGTERM to this process when its
// parent dies, or now if it is dead already: the parent is another process than the one named. The
// variable goes, so that programs which this process starts do not inherit it. Called once, before
// other threads exist. Death of the parent means the end of the thread that started this process.
void EndWithParent();

}  // namespace halftone
