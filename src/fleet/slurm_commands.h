// Runs the commands of Slurm, and repeats a command if the controller does not answer.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/run_program.h"

namespace halftone {

// True if commands of Slurm are run without this environment variable. Variables of Slurm are
// hidden, because some act as options that change what a command does or prints (SQUEUE_FORMAT,
// SBATCH_WAIT), and those of a task would reach the jobs that it submits (SLURM_ARRAY_TASK_ID). Two
// groups are not hidden: variables that identify the cluster and the user (SLURM_CONF, SLURM_JWT),
// and defaults of the user for placing jobs (SBATCH_ACCOUNT, SBATCH_PARTITION, ...), which options
// of the fleet override.
bool IsHiddenFromSlurm(std::string_view variable);

class SlurmCommands {
 public:
  // `sleep` is called to wait between two tries.
  explicit SlurmCommands(std::function<void(double seconds)> sleep) : sleep_(std::move(sleep)) {}

  // Runs a command once; words[0] is searched in PATH. Error kUsage if it is not found, naming the
  // package that has it.
  [[nodiscard]] static ProgramResult RunOnce(const std::vector<std::string>& words);

  // Lets UntilAnswered() and Run() try only once from now on.
  void AskOnce() { asks_once_ = true; }

  // Calls `attempt` until its result is an answer, which may have any exit code. Error kIo after
  // five tries without an answer, with 40 s of pauses in all.
  [[nodiscard]] ProgramResult UntilAnswered(const std::function<ProgramResult()>& attempt) const;

  // RunOnce(), repeated as UntilAnswered() does.
  [[nodiscard]] ProgramResult Run(const std::vector<std::string>& words) const;

 private:
  std::function<void(double)> sleep_;
  bool asks_once_ = false;
};

// True if the controller was not reached or did not answer, or the command did not end in time.
bool HasNoAnswer(const ProgramResult& result);
// True for a result without an answer whose request may have arrived at the controller.
bool MayHaveArrived(const ProgramResult& result);

// Reason why a command failed: FailureText(), or the exit code if the command printed nothing.
std::string WhyFailed(const ProgramResult& result);

}  // namespace halftone
