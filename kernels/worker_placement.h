// Placement of the thread pool's workers: off the core of the thread that waits for them.
//
// A thread that wakes a worker after both have slept often finds it queued on its own core, where
// it runs only milliseconds later: seen on Linux 6.18 with two cores, 4 ms in 79 of 100 wakes after
// 20 ms of sleep, 20 us otherwise. A whole run of a small network is over by then.
#pragma once

#include <sched.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace halftone {

class WorkerPlacement {
 public:
  // Takes the cores that the process may use now.
  WorkerPlacement();

  // Registers a worker when it enters the pool; again is harmless.
  void AddCurrentThread();

  // Moves the workers off the core of the calling thread. Where it is the same core as the last
  // time, nothing is called or locked.
  void LeaveCoreOfCaller();

 private:
  std::mutex mutex_;
  cpu_set_t cores_;
  std::vector<pid_t> workers_;
  std::atomic<int> left_out_{-1};
};

}  // namespace halftone
