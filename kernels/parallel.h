// Parallel loops for kernels: the one place where kernels meet the thread pool (oneTBB).
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "kernels/tile/tile_registers.h"

namespace halftone {

// A reference to a callable void(begin, end); does not own it and never allocates.
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

// Calls body(begin, end) over disjoint ranges that cover [0, count). `grain`: number of items that
// are worth waking a worker for, which costs about 30 us on the development machine. A range holds
// at least that many items, or a kAwakeShare-th of them while workers are awake. Workers are awake
// inside ThreadPool::Run() after the first loop that woke them. The split depends on the thread
// count, so results of a body must not depend on where ranges begin. A loop inside a range is not
// split. A thread that used the tile registers of AMX has released them when its range ends
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

// Number of threads of parallel loops in this thread's arena, and index of the current one in [0,
// ThreadCount()): for per-thread scratch.
int ThreadCount() noexcept;
int ThreadIndex() noexcept;

// Runs `body` with at most `threads` threads in parallel loops (0: all cores). Keeps the workers
// alive between calls, so that a measurement does not pay for starting them.
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
