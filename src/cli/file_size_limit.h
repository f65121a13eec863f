// Handlers of two signals by which the system reports file errors: SIGBUS, if a mapped file is
// truncated while halftone reads it, and SIGXFSZ, if a file would grow beyond `ulimit -f`.
#pragma once

namespace halftone {

// Installs both handlers. After access to a truncated mapping, the process prints one sentence and
// ends with exit code 1; measurements that were finished are in the knowledge base by then. Any
// other SIGBUS has its default effect. With SIGXFSZ ignored, a write beyond the limit fails with an
// error, as on a full disk.
void HandleFileSizeSignals();

}  // namespace halftone
