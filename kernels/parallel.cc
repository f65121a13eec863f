#include "kernels/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <thread>

namespace halftone {

void ParallelForImpl(std::int64_t count, std::int64_t grain, const RangeBody& body) noexcept {
  // One range per thread, not more: a kernel's ranges cost the same, and each start costs.
  const std::int64_t threads = ThreadCount();
  const std::int64_t ranges = std::min(threads, count / std::max<std::int64_t>(grain, 1));
  if (ranges <= 1) {
    body(0, count);
    return;
  }
  tbb::parallel_for(
      std::int64_t{0}, ranges,
      [&](std::int64_t r) { body(count * r / ranges, count * (r + 1) / ranges); },
      tbb::static_partitioner{});
}

int ThreadCount() noexcept {
  return tbb::this_task_arena::max_concurrency();
}

int ThreadIndex() noexcept {
  const int index = tbb::this_task_arena::current_thread_index();
  return index < 0 ? 0 : index;
}

struct ThreadPool::Impl {
  explicit Impl(int threads) : arena(threads) { arena.initialize(); }

  tbb::task_arena arena;
};

ThreadPool::ThreadPool(int threads)
    : impl_(std::make_unique<Impl>(
          threads > 0 ? threads
                      : std::max(1, static_cast<int>(std::thread::hardware_concurrency())))) {}

ThreadPool::~ThreadPool() = default;
ThreadPool::ThreadPool(ThreadPool&&) noexcept = default;
ThreadPool& ThreadPool::operator=(ThreadPool&&) noexcept = default;

int ThreadPool::threads() const {
  return impl_->arena.max_concurrency();
}

void ThreadPool::RunImpl(const RangeBody& body) const {
  impl_->arena.execute([&] { body(0, 0); });
}

}  // namespace halftone
