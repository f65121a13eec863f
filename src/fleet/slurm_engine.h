// Engine `slurm`: jobs of a cluster that Slurm runs, by its commands sbatch, squeue and scontrol.
//
// A task that runs again (a node was lost, or RequeueThis()) is the same element of the same job,
// with SLURM_RESTART_COUNT one higher; its log is appended to. Slurm may run two copies of an
// element at once where it has lost sight of a node.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "src/fleet/engine.h"

namespace halftone {

// Functions that tests replace.
struct SlurmHooks {
  std::function<void(double seconds)> sleep;
  std::function<std::string()> token;  // a word that no other submission has
};

// Error kUsage for an option that it does not take (src/fleet/sbatch_words.h).
std::unique_ptr<FleetEngine> MakeSlurmEngine(const OptionList& options, SlurmHooks hooks);

}  // namespace halftone
