// A body that may crash, tried in a process of its own.
#pragma once

#include <functional>

namespace halftone {

// The signal that ended a copy of this process which ran `body`; 0: it returned, or threw an Error.
// A copy that takes longer than two minutes is ended by SIGALRM, and with the calling thread. Only
// the calling thread runs on in the copy: `body` may wait for no other. `stop_requested` is asked
// some times a second, and may be empty; true ends the copy. Error StoppedByUser: it did.
int SignalOfCopy(const std::function<void()>& body,
                 const std::function<bool()>& stop_requested = {});

}  // namespace halftone
