// Placement of the thread pool's workers: off the core of the thread that waits for them.
//
// When a thread wakes a worker after both have slept, the worker is often queued on the core of the
// waking thread and runs only milliseconds later (Linux 6.18 with two cores, after 20 ms of sleep:
// 4 ms later in 79 of 100 wakes, 20 us in the others). A whole run of a small network takes less
// than that.
#pragma once

#include <sched.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace halftone {

class WorkerPlacement {
 public:
  // Stores the cores that the process may use now.
  WorkerPlacement();

  // Registers the calling thread as a worker; repeated calls are harmless.
  void AddCurrentThread();

  // Moves the workers off the core of the calling thread. If that is the same core as in the last
  // call, it changes nothing and takes no lock.
  void LeaveCoreOfCaller();

 private:
  std::mutex mutex_;
  cpu_set_t cores_;
  std::vector<pid_t> workers_;
  std::atomic<int> left_out_{-1};
};

}  // namespace halftone
