// A function that may crash, tried in a process of its own.
#pragma once

#include <functional>

namespace halftone {

// Runs `body` in a copy of this process, and returns the signal that ended the copy. 0: `body`
// returned or threw an Error, or no copy could be made. SIGALRM ends a copy that takes longer than
// two minutes. The copy also ends with the calling thread. Only the calling thread runs on in the
// copy, so `body` must not wait for another one. `stop_requested` may be empty; it is called some
// times a second, and true ends the copy with Error StoppedByUser.
int SignalOfCopy(const std::function<void()>& body,
                 const std::function<bool()>& stop_requested = {});

}  // namespace halftone
