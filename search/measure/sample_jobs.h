// Runs the samples of one plan in parallel: for accuracy, where nothing is timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "kernels/parallel.h"

namespace halftone {

// Bytes that the workspaces of all jobs may take together. A plan with a larger arena has one job.
inline constexpr std::int64_t kMostJobBytes = std::int64_t{1} << 30;

// Each job runs one sample at a time on one thread: parallel samples need no barriers inside,
// unlike loops that are split over all threads. A single job has all threads of the pool.
class SampleJobs {
 public:
  // Makes as many jobs as the pool has threads, as there are samples, and as `bytes_per_job`
  // allows. `pool` must outlive it.
  SampleJobs(const ThreadPool& pool, std::size_t samples, std::int64_t bytes_per_job,
             std::int64_t most_bytes = kMostJobBytes);

  [[nodiscard]] std::size_t count() const { return jobs_; }

  // Calls work(job, sample) for groups of samples at once, then take(job, sample) for each of them
  // in the order of the samples, on the caller's thread, until it returns false: what `take` sees
  // does not depend on the number of jobs. What `work` throws is thrown in place of that sample's
  // `take`.
  void Run(const std::function<void(std::size_t job, std::size_t sample)>& work,
           const std::function<bool(std::size_t job, std::size_t sample)>& take) const;

 private:
  const ThreadPool& pool_;
  std::size_t samples_;
  std::size_t jobs_;
};

}  // namespace halftone
