// Runs the samples of one plan in parallel. This is for accuracy, where nothing is timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "kernels/parallel.h"

namespace halftone {

// Bytes that the workspaces of all jobs may take together. A plan with a larger arena has one job.
inline constexpr std::int64_t kMostJobBytes = std::int64_t{1} << 30;

// Each job runs one sample at a time on one thread. Parallel samples need no barriers inside,
// unlike loops that are split over all threads. A single job has all threads of the pool.
class SampleJobs {
 public:
  // Makes one job per thread of the pool, but no more jobs than samples, and no more than fit into
  // `most_bytes` with `bytes_per_job` each; at least one job. `pool` must outlive it.
  SampleJobs(const ThreadPool& pool, std::size_t samples, std::int64_t bytes_per_job,
             std::int64_t most_bytes = kMostJobBytes);

  [[nodiscard]] std::size_t count() const { return jobs_; }

  // Calls work(job, sample) for a group of samples in parallel, then take(job, sample) for each of
  // them on the caller's thread; repeats this until `take` returns false or all samples are done.
  // `take` gets the samples in order, so its calls do not depend on the number of jobs. If `work`
  // throws for a sample, the exception is rethrown in place of calling `take` for it.
  void Run(const std::function<void(std::size_t job, std::size_t sample)>& work,
           const std::function<bool(std::size_t job, std::size_t sample)>& take) const;

 private:
  const ThreadPool& pool_;
  std::size_t samples_;
  std::size_t jobs_;
};

}  // namespace halftone
