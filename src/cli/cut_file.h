// A mapped file that somebody cuts short while halftone reads it: touching what is gone raises
// SIGBUS, and no check before can rule that out.
#pragma once

namespace halftone {

// From now on such a SIGBUS prints one sentence and ends the process with exit code 1; any other
// ends it as ever. What was measured before is kept: the knowledge base is written trial by trial.
void ReportCutFiles();

}  // namespace halftone
