#include "kernels/parallel.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "kernels/worker_placement.h"
#include "src/base/limits.h"

#if defined(__SANITIZE_ADDRESS__)
// A worker of oneTBB that is leaving an arena while the process ends still holds the arena's
// observer (40 bytes), from memory of tbbmalloc, which the leak sanitizer does not scan. The
// sanitizer reported 3 of 30 to 29 of 100 programs that ended right after their pool, and none of
// 60 that ended 50 ms later. It is one object, after one pool or after 1000 (oneTBB 2021.8).
extern "C" const char* __lsan_default_suppressions();  // NOLINT: the sanitizer's name

extern "C" const char* __lsan_default_suppressions() {  // NOLINT: the sanitizer's name
  return "leak:tbb::detail::r1::observe\n";
}
#endif

namespace halftone {
namespace {

// Waits a moment; gives the core away once in a while, because another process may need it.
class Spin {
 public:
  void Once() {
    if (++count_ % kSpinsBeforeYield == 0) {
      std::this_thread::yield();
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

 private:
  static constexpr unsigned kSpinsBeforeYield = 1024;  // about 50 us
  unsigned count_ = 0;
};

// True while this thread runs a range of a loop: loops inside it are not split. Handed to TBB they
// would wait for each other: a thread that waits there may take a task of the team, which ends with
// the team.
thread_local bool in_range = false;

void RunRange(const RangeBody& body, std::int64_t count, std::int64_t range, std::int64_t ranges) {
  in_range = true;
  body(count * range / ranges, count * (range + 1) / ranges);
  in_range = false;
}

// Workers belong to the process, not to a pool.
WorkerPlacement& Placement() {
  // Never destroyed: while the process ends, workers may still enter a pool that nobody destroyed.
  static WorkerPlacement& placement = *new WorkerPlacement;
  return placement;
}

// The threads of one ThreadPool::Run(). Waking a sleeping worker costs 50 us and more, as much as a
// layer of a small network, so the workers that TBB lends stay for the whole run and wait for loops
// by looking at `claims_`. A worker that comes late or never costs nothing: whoever is there takes
// the next range.
class Team {
 public:
  explicit Team(int threads) : threads_(threads) {}

  ~Team() {
    stop_.store(true, std::memory_order_release);
    if (workers_) {
      workers_->wait();
    }
  }

  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] bool is_awake() const { return workers_.has_value(); }

  void Run(std::int64_t count, std::int64_t ranges, const RangeBody& body) {
    if (!workers_) {
      Placement().LeaveCoreOfCaller();
      workers_.emplace();
      for (int i = 1; i < threads_; ++i) {
        workers_->run([this] { Work(); });
      }
    }
    ++loop_;
    // Nothing to take while the loop is being described.
    claims_.store(loop_ << kIndexBits | kIndexMask, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    body_.store(&body, std::memory_order_relaxed);
    count_.store(count, std::memory_order_relaxed);
    ranges_.store(ranges, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    claims_.store(loop_ << kIndexBits, std::memory_order_release);
    TakeRanges();
    Spin spin;
    while (done_.load(std::memory_order_acquire) < ranges) {
      spin.Once();
    }
  }

 private:
  static constexpr int kIndexBits = 24;
  static constexpr std::uint64_t kIndexMask = (1U << kIndexBits) - 1;

  void Work() {
    Spin spin;
    while (!stop_.load(std::memory_order_acquire)) {
      TakeRanges();
      spin.Once();
    }
  }

  // Takes ranges of the current loop until none is left. What is read of a loop counts only if its
  // number still stands when a range is taken; the loop cannot end before that range is done.
  void TakeRanges() {
    std::uint64_t claim = claims_.load(std::memory_order_acquire);
    while (true) {
      const RangeBody* body = body_.load(std::memory_order_relaxed);
      const std::int64_t count = count_.load(std::memory_order_relaxed);
      const std::int64_t ranges = ranges_.load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      const auto range = static_cast<std::int64_t>(claim & kIndexMask);
      if (range >= ranges) {
        return;
      }
      if (claims_.compare_exchange_weak(claim, claim + 1, std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
        RunRange(*body, count, range, ranges);
        done_.fetch_add(1, std::memory_order_acq_rel);
        claim = claims_.load(std::memory_order_acquire);
      }
    }
  }

  const int threads_;
  std::optional<tbb::task_group> workers_;  // from the first loop on that is worth it
  std::uint64_t loop_ = 0;
  // The number of the loop and, below it, of the next range to take.
  alignas(64) std::atomic<std::uint64_t> claims_{0};
  std::atomic<const RangeBody*> body_{nullptr};
  std::atomic<std::int64_t> count_{0};
  std::atomic<std::int64_t> ranges_{0};
  alignas(64) std::atomic<std::int64_t> done_{0};
  alignas(64) std::atomic<bool> stop_{false};
};

// Team of the thread that called ThreadPool::Run(); null in its workers.
thread_local Team* current_team = nullptr;

}  // namespace

void ParallelForImpl(std::int64_t count, std::int64_t grain, const RangeBody& body) noexcept {
  // One range per thread, not more: a kernel's ranges cost the same, and each start costs.
  const std::int64_t threads = ThreadCount();
  const bool awake = current_team != nullptr && current_team->is_awake();
  const std::int64_t least = awake ? grain / kAwakeShare : grain;
  const std::int64_t ranges = std::min(threads, count / std::max<std::int64_t>(least, 1));
  if (ranges <= 1 || in_range) {
    body(0, count);
    return;
  }
  if (Team* team = current_team; team != nullptr) {
    team->Run(count, ranges, body);
    return;
  }
  tbb::parallel_for(
      std::int64_t{0}, ranges, [&](std::int64_t r) { RunRange(body, count, r, ranges); },
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
  // Sees the workers that join the arena.
  class Observer : public tbb::task_scheduler_observer {
   public:
    explicit Observer(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) {
      observe(true);
    }

    ~Observer() override { observe(false); }

    void on_scheduler_entry(bool is_worker) override {
      if (is_worker) {
        Placement().AddCurrentThread();
      }
    }
  };

  explicit Impl(int threads) : arena(threads), observer(Initialized(arena)) {}

  static tbb::task_arena& Initialized(tbb::task_arena& arena) {
    arena.initialize();
    return arena;
  }

  tbb::task_arena arena;
  Observer observer;
};

ThreadPool::ThreadPool(int threads) {
  RequireNumber("threads", std::int64_t{threads}, limits::kThreadRange);
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  impl_ = std::make_unique<Impl>(threads > 0 ? threads : cores);
}

ThreadPool::~ThreadPool() = default;
ThreadPool::ThreadPool(ThreadPool&&) noexcept = default;
ThreadPool& ThreadPool::operator=(ThreadPool&&) noexcept = default;

int ThreadPool::threads() const {
  return impl_->arena.max_concurrency();
}

void ThreadPool::RunImpl(const RangeBody& body) const {
  impl_->arena.execute([&] {
    Team team(threads());
    Team* const outer = std::exchange(current_team, &team);
    const bool outer_in_range = std::exchange(in_range, false);  // this pool's loops are split
    body(0, 0);
    current_team = outer;
    in_range = outer_in_range;
  });
}

}  // namespace halftone
