// Signals in place of file errors: SIGBUS when a mapped file was truncated while halftone reads it,
// which no earlier check can rule out, and SIGXFSZ when a file would grow beyond the limit of
// `ulimit -f`.
#pragma once

namespace halftone {

// Installs both handlers. Access to a truncated mapping prints one sentence and ends the process
// with exit code 1, any other SIGBUS ends it as by default; the knowledge base is written trial by
// trial, so that finished measurements stay. A file that may not grow is an error of its writer, as
// on a full disk.
void HandleFileSizeSignals();

}  // namespace halftone
