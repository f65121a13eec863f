#include "search/measure/sample_jobs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

namespace halftone {
namespace {

TEST(SampleJobsTest, AsManyAsThreadsSamplesAndMemoryAllow) {
  const ThreadPool pool(3);
  EXPECT_EQ(SampleJobs(pool, 10, 100).count(), 3U);
  EXPECT_EQ(SampleJobs(pool, 2, 100).count(), 2U);
  EXPECT_EQ(SampleJobs(pool, 10, 100, 250).count(), 2U);
  EXPECT_EQ(SampleJobs(pool, 10, 1000, 250).count(), 1U) << "one in any case";
  EXPECT_EQ(SampleJobs(pool, 0, 100).count(), 1U);
}

class SampleJobsOnThreads : public ::testing::TestWithParam<int> {};

TEST_P(SampleJobsOnThreads, EverySampleOnceAndTakenInOrder) {
  const ThreadPool pool(GetParam());
  const SampleJobs jobs(pool, 11, 1);
  std::vector<std::atomic<int>> worked(11);
  std::vector<std::size_t> in_job(jobs.count(), 99);
  std::vector<std::size_t> taken;
  jobs.Run(
      [&](std::size_t job, std::size_t sample) {
        ++worked[sample];
        in_job[job] = sample;  // no two samples have one job at the same time
      },
      [&](std::size_t job, std::size_t sample) {
        EXPECT_EQ(in_job[job], sample);
        taken.push_back(sample);
        return true;
      });
  for (std::size_t sample = 0; sample < 11; ++sample) {
    EXPECT_EQ(worked[sample], 1);
    EXPECT_EQ(taken.at(sample), sample);
  }
  EXPECT_EQ(taken.size(), 11U);
}

TEST_P(SampleJobsOnThreads, StopsWhereTakeSaysSo) {
  const ThreadPool pool(GetParam());
  std::vector<std::size_t> taken;
  SampleJobs(pool, 50, 1)
      .Run([](std::size_t, std::size_t) {},
           [&](std::size_t, std::size_t sample) {
             taken.push_back(sample);
             return sample < 4;
           });
  EXPECT_EQ(taken, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST_P(SampleJobsOnThreads, TheErrorOfTheFirstSampleIsThrown) {
  const ThreadPool pool(GetParam());
  std::vector<std::size_t> taken;
  try {
    SampleJobs(pool, 20, 1)
        .Run(
            [](std::size_t, std::size_t sample) {
              if (sample >= 7) {
                throw std::runtime_error(std::to_string(sample));
              }
            },
            [&](std::size_t, std::size_t sample) {
              taken.push_back(sample);
              return true;
            });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "7");
  }
  EXPECT_EQ(taken.size(), 7U);
}

// Inside a job loops are not cut: threads that wait for parts of one sample would take up another.
TEST_P(SampleJobsOnThreads, LoopsOfAJobStayOnItsThread) {
  const ThreadPool pool(GetParam());
  const SampleJobs jobs(pool, 8, 1);
  std::mutex mutex;
  std::set<std::pair<std::int64_t, std::int64_t>> ranges;
  jobs.Run(
      [&](std::size_t, std::size_t) {
        ParallelFor(1000, 1, [&](std::int64_t begin, std::int64_t end) {
          const std::lock_guard lock(mutex);
          ranges.emplace(begin, end);
        });
      },
      [](std::size_t, std::size_t) { return true; });
  EXPECT_EQ(ranges, (std::set<std::pair<std::int64_t, std::int64_t>>{{0, 1000}}));
}

INSTANTIATE_TEST_SUITE_P(Threads, SampleJobsOnThreads, ::testing::Values(1, 2, 3, 8),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace halftone
