// Runs the commands of Slurm, again where its controller does not answer.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/run_program.h"

namespace halftone {

// True if a command of Slurm runs without this variable of the environment. Variables of Slurm
// stand for options, and so change what a command does or prints (SQUEUE_FORMAT, SBATCH_WAIT);
// those of a task would reach the jobs that it submits (SLURM_ARRAY_TASK_ID). Two groups stay:
// variables that identify the Slurm and the user (SLURM_CONF, SLURM_JWT), and those by which a site
// places jobs of the user (SBATCH_ACCOUNT, SBATCH_PARTITION, ...), which options of the fleet
// overrule.
bool IsHiddenFromSlurm(std::string_view variable);

class SlurmCommands {
 public:
  // `sleep` waits between two tries, seconds.
  explicit SlurmCommands(std::function<void(double seconds)> sleep) : sleep_(std::move(sleep)) {}

  // Runs a command once; words[0] is looked up in PATH. Error kUsage: it is not there; the message
  // names the package that has it.
  [[nodiscard]] static ProgramResult RunOnce(const std::vector<std::string>& words);

  // UntilAnswered() and Run() try once from now on.
  void AskOnce() { asks_once_ = true; }

  // Runs `attempt` until the result is an answer, of whatever exit code. Error kIo: no answer after
  // five tries in 40 s.
  [[nodiscard]] ProgramResult UntilAnswered(const std::function<ProgramResult()>& attempt) const;

  // RunOnce(), repeated as UntilAnswered() does.
  [[nodiscard]] ProgramResult Run(const std::vector<std::string>& words) const;

 private:
  std::function<void(double)> sleep_;
  bool asks_once_ = false;
};

// True if the controller was not reached or did not answer, or the command did not end in time.
bool HasNoAnswer(const ProgramResult& result);
// True if the request of such a result may have arrived.
bool MayHaveArrived(const ProgramResult& result);

// FailureText(), or the exit code where the command said nothing.
std::string WhyFailed(const ProgramResult& result);

}  // namespace halftone
