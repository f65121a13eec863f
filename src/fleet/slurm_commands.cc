#include "src/fleet/slurm_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "src/base/error.h"
#include "src/fleet/slurm_text.h"

namespace halftone {
namespace {

constexpr double kTimeoutS = 120;  // of a command; its own requests end after 10 s or so
constexpr double kPausesS[] = {1, 3, 9, 27};
constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // squeue: 100 B for each element

constexpr std::string_view kHiddenPrefixes[] = {"SBATCH_",   "SQUEUE_", "SCANCEL_",
                                                "SCONTROL_", "SINFO_",  "SLURM_"};
constexpr std::string_view kKept[] = {
    "SLURM_CONF",     "SLURM_CONF_SERVER", "SLURM_JWT",  "SLURM_SACK_KEY",     "SLURM_SACK_JWKS",
    "SBATCH_ACCOUNT", "SBATCH_PARTITION",  "SBATCH_QOS", "SBATCH_RESERVATION", "SBATCH_TIMELIMIT"};

}  // namespace

bool IsHiddenFromSlurm(std::string_view variable) {
  return std::ranges::any_of(
             kHiddenPrefixes,
             [&](std::string_view prefix) { return variable.starts_with(prefix); }) &&
         std::ranges::find(kKept, variable) == std::end(kKept);
}

ProgramResult SlurmCommands::RunOnce(const std::vector<std::string>& words) {
  return WithContext(
      [] {
        return "the engine slurm needs the commands of Slurm in PATH (package slurm-client of "
               "Debian and Ubuntu, slurm of others) on a machine that may submit jobs";
      },
      [&] {
        return RunProgram(words, {.timeout_s = kTimeoutS,
                                  .hides_variable = IsHiddenFromSlurm,
                                  .most_bytes = kMostBytes});
      });
}

ProgramResult SlurmCommands::UntilAnswered(const std::function<ProgramResult()>& attempt) const {
  ProgramResult result = attempt();
  std::size_t tries = 1;
  for (const double pause_s : kPausesS) {
    if (!HasNoAnswer(result)) {
      return result;
    }
    if (asks_once_) {
      break;
    }
    sleep_(pause_s);
    result = attempt();
    ++tries;
  }
  if (HasNoAnswer(result)) {
    throw Error(
        ErrorKind::kIo,
        fmt::format("Slurm does not answer, after {}: {}; look at `scontrol ping`, and "
                    "at `squeue --me` for a job that arrived all the same, before you give "
                    "the command again; what was submitted goes on",
                    tries == 1 ? "one try" : fmt::format("{} tries", tries), WhyFailed(result)));
  }
  return result;
}

ProgramResult SlurmCommands::Run(const std::vector<std::string>& words) const {
  return UntilAnswered([&] { return RunOnce(words); });
}

bool HasNoAnswer(const ProgramResult& result) {
  return MayHaveArrived(result) ||
         (result.exit_code != 0 && FailureOf(result.err) == SlurmFailure::kNotReached);
}

bool MayHaveArrived(const ProgramResult& result) {
  return result.timed_out ||
         (result.exit_code != 0 && FailureOf(result.err) == SlurmFailure::kNoAnswer);
}

std::string WhyFailed(const ProgramResult& result) {
  const std::string text = FailureText(result.err);
  if (result.timed_out) {
    return fmt::format("no end after {:.0f} s{}{}", kTimeoutS, text.empty() ? "" : "; ", text);
  }
  return text.empty() ? fmt::format("exit code {} without a word", result.exit_code) : text;
}

}  // namespace halftone
