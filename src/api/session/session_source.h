// Source of a session: its configuration (a point, precision options, a knowledge base, or none)
// resolved to networks, precision and kernels.
#pragma once

#include <string>
#include <vector>

#include "halftone/session.h"
#include "src/api/halftone.h"
#include "src/exec/kernel_choices.h"

namespace halftone {

struct SessionSource {
  std::vector<Model> models;  // one network at each input shape of the session, in order
  TargetSpec target;
  PrecisionOptions precision;
  std::vector<KernelChoices> choices;  // parallel to models
  std::vector<std::string> notes;      // full sentences
};

// Resolves the configuration for the network that `model` names. Without any configuration, the
// network runs in its own types with the most accurate implementations. `threads`: number of
// threads of one run, for which kernel choices are looked up. Errors as Session().
SessionSource ReadSource(const ModelOptions& model, const SessionOptions& options, int threads);
// Does the same for a network that was read before.
SessionSource ReadSource(Model model, const SessionOptions& options, int threads);

// Kernel choices of the session's bank or point for the network at one shape; empty if it has
// neither. Adds a note if the choices of the point cannot be used.
KernelChoices ChoicesFor(const Model& model, const SessionOptions& options,
                         const std::string& target, int threads, std::vector<std::string>& notes);

}  // namespace halftone
