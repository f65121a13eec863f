#include "kernels/worker_placement.h"

#include <unistd.h>

#include <algorithm>

namespace halftone {

WorkerPlacement::WorkerPlacement() {
  CPU_ZERO(&cores_);
  if (::sched_getaffinity(0, sizeof(cores_), &cores_) != 0) {
    CPU_ZERO(&cores_);  // more cores than the set has: nothing is placed
  }
}

void WorkerPlacement::AddCurrentThread() {
  const std::scoped_lock lock(mutex_);
  const pid_t id = ::gettid();
  if (std::find(workers_.begin(), workers_.end(), id) == workers_.end()) {
    workers_.push_back(id);
    left_out_ = -1;
  }
}

void WorkerPlacement::LeaveCoreOfCaller() {
  const int core = ::sched_getcpu();
  if (core < 0 || core == left_out_) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  if (CPU_COUNT(&cores_) < 2 || workers_.empty()) {
    return;
  }
  cpu_set_t others = cores_;
  CPU_CLR(static_cast<std::size_t>(core), &others);
  for (const pid_t worker : workers_) {
    ::sched_setaffinity(worker, sizeof(others), &others);  // a worker that has ended is no matter
  }
  left_out_ = core;
}

}  // namespace halftone
