// A body that may crash, tried in a process of its own.
#pragma once

#include <functional>

namespace halftone {

// Runs `body` in a copy of this process and returns the signal that ended the copy; 0: `body`
// returned, or threw an Error. A copy that takes longer than two minutes is ended by SIGALRM; it
// also ends with the calling thread. Only the calling thread runs on in the copy, so `body` may
// wait for no other. `stop_requested`, which may be empty, is asked some times a second; true ends
// the copy with Error StoppedByUser.
int SignalOfCopy(const std::function<void()>& body,
                 const std::function<bool()>& stop_requested = {});

}  // namespace halftone
