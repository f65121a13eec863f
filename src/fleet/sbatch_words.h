// Command line of sbatch for a job of a fleet. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/engine.h"

namespace halftone {

// Options of the user for sbatch: long options without dashes, as sbatch has them. Error kUsage: no
// such name, an option that the job decides, a value of several lines, more than one cluster.
void CheckSbatchOptions(const OptionList& options);

// The value of the option; empty: it is not given.
std::string ValueOf(const OptionList& options, std::string_view name);

// The words of the command. The batch script is one line that `exec`s the job's words, so that
// signals of Slurm reach them. `token` marks the job: its comment ends with it. Requires
// checked options. Error kUsage: a name, constraint or path that Slurm cannot take.
std::vector<std::string> SbatchWords(const OptionList& options, const EngineJob& job,
                                     const std::string& token);

}  // namespace halftone
