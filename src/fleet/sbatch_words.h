// Command line of sbatch for a job of a fleet. The functions have no side effects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/engine.h"

namespace halftone {

// Checks the user's options for sbatch, which are its long options without dashes. Error kUsage for
// a text that is no option name, an option that the fleet sets or forbids, an empty value, a value
// of several lines, and more than one cluster.
void CheckSbatchOptions(const OptionList& options);

// Value of an option; empty: it is not given.
std::string ValueOf(const OptionList& options, std::string_view name);

// Words of the command. The batch script is one line that `exec`s the words of the job, so that
// signals of Slurm reach the program. The comment of the job ends with `token`, by which the job is
// found again. Requires CheckSbatchOptions(). Error kUsage for a name, constraint or path that
// Slurm does not accept.
std::vector<std::string> SbatchWords(const OptionList& options, const EngineJob& job,
                                     const std::string& token);

}  // namespace halftone
