// Parallel loops for kernels: the one place where kernels meet the thread pool (oneTBB).
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "kernels/tile/tile_registers.h"

namespace halftone {

// Reference to a callable void(begin, end). It does not own the callable and never allocates.
class RangeBody {
 public:
  template <typename Body>

  requires(!std::is_same_v<std::decay_t<Body>, RangeBody>) explicit RangeBody(const Body& body)
      : body_(&body), call_([](const void* object, std::int64_t begin, std::int64_t end) {
          (*static_cast<const Body*>(object))(begin, end);
        }) {}

  void operator()(std::int64_t begin, std::int64_t end) const { call_(body_, begin, end); }

 private:
  const void* body_;
  void (*call_)(const void*, std::int64_t, std::int64_t);
};

void ParallelForImpl(std::int64_t count, std::int64_t grain, const RangeBody& body) noexcept;

// Divisor of the grain for workers that are awake. About 25 us of work is worth waking a worker; a
// kAwakeShare-th of that is worth handing to an awake one.
inline constexpr std::int64_t kAwakeShare = 4;

// Calls body(begin, end) over disjoint ranges that cover [0, count). `grain` is the least number of
// items for which waking a worker pays; waking costs about 30 us on the development machine. If the
// loop is split, a range holds at least `grain` items, or a kAwakeShare-th of that while workers
// are awake. Workers are awake inside ThreadPool::Run() after the first loop that woke them. The
// split depends on the number of threads, so results must not depend on where ranges begin. A loop
// inside a range is not split. When a range ends, its thread has released the tile registers of AMX
// (TileRegisterScope).
template <typename Body>
void ParallelFor(std::int64_t count, std::int64_t grain, const Body& body) noexcept {
  const auto range = [&](std::int64_t begin, std::int64_t end) {
    const TileRegisterScope scope;
    body(begin, end);
  };
  if (count <= grain / kAwakeShare || count <= 1) {
    if (count > 0) {
      range(std::int64_t{0}, count);
    }
    return;
  }
  ParallelForImpl(count, grain, RangeBody(range));
}

// Number of threads that run parallel loops started on this thread, and index of the current thread
// in [0, ThreadCount()), for scratch of each thread.
int ThreadCount() noexcept;
int ThreadIndex() noexcept;

// Runs functions whose parallel loops use at most `threads` threads (0: one for each core). Workers
// stay alive between calls, so that a measurement does not include starting them.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(ThreadPool&&) noexcept;
  ThreadPool& operator=(ThreadPool&&) noexcept;

  [[nodiscard]] int threads() const;

  template <typename Body>
  void Run(const Body& body) const {
    const auto once = [&](std::int64_t, std::int64_t) { body(); };
    RunImpl(RangeBody(once));
  }

 private:
  void RunImpl(const RangeBody& body) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halftone
