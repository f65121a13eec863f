#include "kernels/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::Each;

// How often each of `count` items was visited by one loop.
std::vector<int> Visits(std::int64_t count, std::int64_t grain) {
  const auto visits = std::make_unique<std::atomic<int>[]>(static_cast<std::size_t>(count) + 1);
  ParallelFor(count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      visits[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_relaxed);
    }
  });
  return {visits.get(), visits.get() + count};
}

TEST(ParallelFor, VisitsEveryItemOnceOutsideOfAPool) {
  for (const std::int64_t count : {0, 1, 2, 3, 7, 1000}) {
    EXPECT_THAT(Visits(count, 1), Each(1)) << count;
  }
}

// Loops follow each other without a pause, of other lengths and with other numbers of ranges: a
// worker that comes late from one must not take a range of the next twice.
TEST(ParallelFor, VisitsEveryItemOnceInAPool) {
  for (const int threads : {1, 2, 3, 5}) {
    const ThreadPool pool(threads);
    for (int run = 0; run < 20; ++run) {
      pool.Run([&] {
        for (std::int64_t loop = 0; loop < 500; ++loop) {
          const std::int64_t count = 1 + loop % 17;
          ASSERT_THAT(Visits(count, 1 + loop % 3), Each(1)) << threads << " threads, loop " << loop;
        }
      });
    }
  }
}

TEST(ParallelFor, ALoopInsideALoopIsComplete) {
  const ThreadPool pool(2);
  pool.Run([] {
    std::atomic<int> sum{0};
    ParallelFor(8, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::vector<int> inner = Visits(10, 1);
        sum += std::accumulate(inner.begin(), inner.end(), 0);
      }
    });
    EXPECT_EQ(sum, 80);
  });
}

// In the first loop of a run the team has not begun: who waits inside a range must not become one
// of it, because the team ends with the run. Ranges take longer than a worker needs to wake up.
TEST(ParallelFor, ALongLoopInsideTheFirstLoopEnds) {
  constexpr std::int64_t kBytes = std::int64_t{4} << 20;
  const std::vector<char> source(kBytes, 'x');
  std::vector<char> target(2 * kBytes);
  const ThreadPool pool(2);
  for (int run = 0; run < 50; ++run) {
    std::fill(target.begin(), target.end(), ' ');
    pool.Run([&] {
      ParallelFor(2, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          ParallelFor(kBytes, kBytes / 4, [&](std::int64_t first, std::int64_t last) {
            std::copy(source.begin() + first, source.begin() + last,
                      target.begin() + i * kBytes + first);
          });
        }
      });
    });
    ASSERT_EQ(std::count(target.begin(), target.end(), 'x'), 2 * kBytes);
  }
}

TEST(ParallelFor, SeveralPoolsRunAtOnce) {
  std::vector<std::thread> users;
  std::atomic<int> wrong{0};
  for (int user = 0; user < 3; ++user) {
    users.emplace_back([&] {
      const ThreadPool pool(2);
      for (int run = 0; run < 50; ++run) {
        pool.Run([&] {
          for (const int visits : Visits(64, 1)) {
            wrong += visits != 1 ? 1 : 0;
          }
        });
      }
    });
  }
  for (std::thread& user : users) {
    user.join();
  }
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, NumbersOfThreadsHaveABound) {
  for (const int threads : {-1, 1025, 100'000, std::numeric_limits<int>::max()}) {
    EXPECT_THROW(ThreadPool{threads}, Error) << threads;
  }
  EXPECT_EQ(ThreadPool(1024).threads(), 1024);
  EXPECT_GE(ThreadPool(0).threads(), 1);
}

TEST(ThreadPool, RunsInsideItself) {
  const ThreadPool outer(2);
  const ThreadPool inner(2);
  outer.Run([&] {
    EXPECT_THAT(Visits(9, 1), Each(1));
    inner.Run([] { EXPECT_THAT(Visits(9, 1), Each(1)); });
    EXPECT_THAT(Visits(9, 1), Each(1));
  });
}

}  // namespace
}  // namespace halftone
