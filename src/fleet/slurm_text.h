// Parsers of the texts that the commands of Slurm print. The functions have no side effects.
//
// The output of --json is not used, because its members change their types between releases and it
// ignores filters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/engine.h"

namespace halftone {

// Name of a job as `sbatch --parsable` prints it: "17", or "17;east" with the name of a cluster.
struct SlurmJobName {
  std::string id;
  std::string cluster;  // empty: the default cluster

  friend auto operator<=>(const SlurmJobName&, const SlurmJobName&) = default;
};

// Parses the name of a job; empty: the text is none.
std::optional<SlurmJobName> ParseSlurmJobName(std::string_view text);
// Inverse of ParseSlurmJobName().
std::string ToText(const SlurmJobName& job);

// Output format of `squeue` that ParseSqueue() reads.
inline constexpr std::string_view kSqueueFormat = "%i|%T|%N|%r";

// Parses the output of `squeue -h -r` in kSqueueFormat, and leaves out tasks that have ended.
// EngineTask::job is the id without a cluster. An unknown state counts as waiting, with the state
// as its reason. Error kIo for a line of another syntax, quoting it.
std::vector<EngineTask> ParseSqueue(std::string_view out);

// Id of the job whose comment ends with `token`, from lines "<id>|<comment>". Empty: none.
std::optional<std::string> FindByComment(std::string_view out, std::string_view token);

// Number after "<name> =" in the output of `scontrol show config`. Empty: there is none.
std::optional<std::size_t> ConfigNumber(std::string_view out, std::string_view name);

// Distinct features in the output of `sinfo -h -o %f`, sorted.
std::vector<std::string> ParseFeatures(std::string_view out);

// Kind of a command's failure.
enum class SlurmFailure : std::uint8_t {
  kRefused,        // the request is wrong; a repetition would fail too
  kNotReached,     // no controller was reached; a repetition may succeed
  kNoAnswer,       // no answer came; the request may have arrived, and may still be granted
  kForgotten,      // the job has ended and is no longer known
  kQueuedAlready,  // the job to requeue is waiting already
  kNoSuchFeature,  // no node has the features of the constraint
};

// Kind of failure, from the standard error of the command.
SlurmFailure FailureOf(std::string_view err);
// Lines of the standard error joined into one, without the program names at their begins.
std::string FailureText(std::string_view err);

}  // namespace halftone
