// kernels/parallel.h on plain threads, for builds under the thread sanitizer only. Debian's oneTBB
// is not instrumented, so the sanitizer sees neither its hand-over of work nor its waits, and
// reports every loop. In this file it sees both, so that every report is a race in halftone.
#include <algorithm>
#include <thread>
#include <vector>

#include "kernels/parallel.h"
#include "src/base/limits.h"

namespace halftone {
namespace {

int HardwareThreads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Threads of the pool that this thread runs in; 0: none, so all cores. A loop inside a loop has
// one.
thread_local int pool_threads = 0;
thread_local int thread_index = 0;

void RunRange(const RangeBody& body, int index, std::int64_t begin, std::int64_t end) {
  const int outer_threads = pool_threads;
  const int outer_index = thread_index;
  pool_threads = 1;
  thread_index = index;
  body(begin, end);
  pool_threads = outer_threads;
  thread_index = outer_index;
}

}  // namespace

void ParallelForImpl(std::int64_t count, std::int64_t grain, const RangeBody& body) noexcept {
  const std::int64_t ranges =
      std::min<std::int64_t>(ThreadCount(), count / std::max<std::int64_t>(grain, 1));
  if (ranges <= 1) {
    body(0, count);
    return;
  }
  std::vector<std::jthread> workers;
  for (std::int64_t r = 1; r < ranges; ++r) {
    workers.emplace_back([&body, r, count, ranges] {
      RunRange(body, static_cast<int>(r), count * r / ranges, count * (r + 1) / ranges);
    });
  }
  RunRange(body, 0, 0, count / ranges);
}

int ThreadCount() noexcept {
  return pool_threads > 0 ? pool_threads : HardwareThreads();
}

int ThreadIndex() noexcept {
  return thread_index;
}

struct ThreadPool::Impl {
  int threads;
};

ThreadPool::ThreadPool(int threads) {
  RequireNumber("threads", std::int64_t{threads}, limits::kThreadRange);
  impl_ = std::make_unique<Impl>(Impl{threads > 0 ? threads : HardwareThreads()});
}

ThreadPool::~ThreadPool() = default;
ThreadPool::ThreadPool(ThreadPool&&) noexcept = default;
ThreadPool& ThreadPool::operator=(ThreadPool&&) noexcept = default;

int ThreadPool::threads() const {
  return impl_->threads;
}

void ThreadPool::RunImpl(const RangeBody& body) const {
  const int outer_threads = pool_threads;
  pool_threads = impl_->threads;
  body(0, 0);
  pool_threads = outer_threads;
}

}  // namespace halftone
