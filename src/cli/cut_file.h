// Files that end before they should, for which the system has a signal in place of an error: a
// mapped file that somebody cuts short while halftone reads it (touching what is gone raises
// SIGBUS, and no check before can rule that out), and one that would grow beyond the limit of
// `ulimit -f` (SIGXFSZ).
#pragma once

namespace halftone {

// From now on such a SIGBUS prints one sentence and ends the process with exit code 1; any other
// ends it as ever. What was measured before is kept: the knowledge base is written trial by trial.
// A file that may not grow is an error of what writes it, as on a full disk.
void ReportCutFiles();

}  // namespace halftone
