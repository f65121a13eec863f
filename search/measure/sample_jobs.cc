#include "search/measure/sample_jobs.h"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>
#include <vector>

namespace halftone {
namespace {

// Calls run(job) for each job, on its own pool; without own pools, for job 0 on `pool`.
template <typename Run>
void RunJobs(const ThreadPool& pool, std::span<const ThreadPool> own, std::size_t jobs,
             const Run& run) {
  const auto run_own = [&](std::int64_t begin, std::int64_t end) {
    for (auto job = static_cast<std::size_t>(begin); job < static_cast<std::size_t>(end); ++job) {
      own[job].Run([&] { run(job); });
    }
  };
  pool.Run([&] {
    if (own.empty()) {
      run(0);
    } else {
      ParallelFor(static_cast<std::int64_t>(jobs), 1, run_own);
    }
  });
}

}  // namespace

SampleJobs::SampleJobs(const ThreadPool& pool, std::size_t samples, std::int64_t bytes_per_job,
                       std::int64_t most_bytes)
    : pool_(pool), samples_(samples) {
  const std::int64_t affordable = most_bytes / std::max<std::int64_t>(bytes_per_job, 1);
  const std::int64_t useful =
      std::min<std::int64_t>(pool.threads(), static_cast<std::int64_t>(samples));
  jobs_ = static_cast<std::size_t>(std::max<std::int64_t>(1, std::min(useful, affordable)));
}

void SampleJobs::Run(const std::function<void(std::size_t job, std::size_t sample)>& work,
                     const std::function<bool(std::size_t job, std::size_t sample)>& take) const {
  // One pool of a single thread for each job, so that its loops are not split.
  std::vector<ThreadPool> own;
  for (std::size_t job = 0; jobs_ > 1 && job < jobs_; ++job) {
    own.emplace_back(1);
  }
  for (std::size_t first = 0; first < samples_; first += jobs_) {
    const std::size_t group = std::min(jobs_, samples_ - first);
    std::vector<std::exception_ptr> errors(group);  // loops let no exception out
    const auto run = [&](std::size_t job) {
      try {
        work(job, first + job);
      } catch (...) {
        errors[job] = std::current_exception();
      }
    };
    RunJobs(pool_, own, group, run);
    for (std::size_t job = 0; job < group; ++job) {
      if (errors[job]) {
        std::rethrow_exception(errors[job]);
      }
      if (!take(job, first + job)) {
        return;
      }
    }
  }
}

}  // namespace halftone
