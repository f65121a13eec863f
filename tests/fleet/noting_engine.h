// An engine that notes what it is given and answers what a test wants.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/fleet/engine.h"

namespace halftone::testing {

struct NotingEngine : public FleetEngine {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  std::vector<EngineJob> jobs;  // a test may clear it
  std::vector<EngineTask> active;
  std::vector<EngineTask> withdrawn;
  std::vector<std::string> asked;  // the jobs of the last Active()
  bool is_this_machine = false;
  std::string refusal;  // of Submit()
  std::string silence;  // why Active() does not answer

  std::size_t MostElements() override { return most; }

  std::string Submit(const EngineJob& job) override {
    if (!refusal.empty()) {
      throw Error(ErrorKind::kUsage, refusal);
    }
    jobs.push_back(job);
    return fmt::format("job-{}", ++submitted_);
  }

  std::vector<EngineTask> Active(std::span<const std::string> of) override {
    if (!silence.empty()) {
      throw Error(ErrorKind::kIo, silence);
    }
    asked.assign(of.begin(), of.end());
    return active;
  }

  [[nodiscard]] bool waits() const override { return is_this_machine; }

  void Withdraw(const EngineTask& task) override { withdrawn.push_back(task); }

  bool RequeueThis() override { return false; }

  // Name of the n-th of `jobs`.
  [[nodiscard]] std::string NameOfJob(std::size_t number) const {
    return fmt::format("job-{}", submitted_ - jobs.size() + 1 + number);
  }

 private:
  std::size_t submitted_ = 0;
};

}  // namespace halftone::testing
