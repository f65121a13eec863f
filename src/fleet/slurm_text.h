// Texts that the commands of Slurm print, as values. Pure functions.
//
// Never the output of --json: its members change type between releases, and it ignores filters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/engine.h"

namespace halftone {

// A job as `sbatch --parsable` names it: "17", or "17;east" where clusters have names.
struct SlurmJobName {
  std::string id;
  std::string cluster;  // empty: the one that the commands ask by default

  friend auto operator<=>(const SlurmJobName&, const SlurmJobName&) = default;
};

// Empty: the text is no such name.
std::optional<SlurmJobName> ParseSlurmJobName(std::string_view text);
std::string ToText(const SlurmJobName& job);

// The format of `squeue` whose lines ParseSqueue() reads.
inline constexpr std::string_view kSqueueFormat = "%i|%T|%N|%r";

// Parses what `squeue -h -r` prints with that format; leaves out what has ended. EngineTask::job is
// the id alone. A state of a later release counts as waiting, with the state for a reason. Error
// kIo: a line with another syntax, quoted.
std::vector<EngineTask> ParseSqueue(std::string_view out);

// The id of the job whose comment ends with `token`, in lines "<id>|<comment>". Empty: none.
std::optional<std::string> FindByComment(std::string_view out, std::string_view token);

// The number behind "<name> =" of `scontrol show config`. Empty: no such line.
std::optional<std::size_t> ConfigNumber(std::string_view out, std::string_view name);

// Features of `sinfo -h -o %f`, each once, sorted.
std::vector<std::string> ParseFeatures(std::string_view out);

// Reason why a command failed.
enum class SlurmFailure : std::uint8_t {
  kRefused,     // the request is wrong: the same one fails again
  kNotReached,  // no controller was there: the same one may succeed
  kNoAnswer,    // the controller gave no answer; the request may have arrived, and be granted later
  kForgotten,   // the job ended, and is no longer known
  kQueuedAlready,  // the job to requeue waits
  kNoSuchFeature,  // no node has the constraint
};

// Reason why a command failed, by what it printed to standard error.
SlurmFailure FailureOf(std::string_view err);
// The lines of standard error in one, without the names of programs in front.
std::string FailureText(std::string_view err);

}  // namespace halftone
