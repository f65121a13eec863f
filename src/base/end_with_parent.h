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

// Ends this process with the parent that ParentWord() names in the environment; without that word
// it does nothing. The system sends SIGTERM when the parent's thread that started this process
// ends, or now if the parent is dead already. The variable is removed, so that programs which this
// process starts do not inherit it. Call it once, before other threads exist.
void EndWithParent();

}  // namespace halftone
