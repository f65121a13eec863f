// Engine `slurm`: runs jobs on a cluster by the commands of Slurm (sbatch, squeue, scontrol).
//
// A task that runs again, after the loss of its node or RequeueThis(), is the same element of the
// same job; its SLURM_RESTART_COUNT is one higher, and its log is continued. Slurm may run two
// copies of an element at once if it has lost contact with a node.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "src/fleet/engine.h"

namespace halftone {

// Functions that tests replace.
struct SlurmHooks {
  std::function<void(double seconds)> sleep;
  std::function<std::string()> token;  // returns a word that no other submission has
};

// Makes the engine. Error kUsage as CheckSbatchOptions().
std::unique_ptr<FleetEngine> MakeSlurmEngine(const OptionList& options, SlurmHooks hooks);

}  // namespace halftone
