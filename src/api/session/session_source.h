// Configuration of a session: a point, precision options, a knowledge base, or none, resolved to
// the networks, precision and kernels that it runs.
#pragma once

#include <string>
#include <vector>

#include "halftone/session.h"
#include "src/api/halftone.h"
#include "src/exec/kernel_choices.h"

namespace halftone {

struct SessionSource {
  std::vector<Model> models;  // one network at each input shape, in order
  TargetSpec target;
  PrecisionOptions precision;
  std::vector<KernelChoices> choices;  // parallel to models
  std::vector<std::string> notes;      // full sentences
};

// `threads`: those of one run; kernels are looked up for this number. Errors as Session().
SessionSource ReadSource(const ModelOptions& model, const SessionOptions& options, int threads);
SessionSource ReadSource(Model model, const SessionOptions& options, int threads);

// Kernels of the source for a network at another shape.
KernelChoices ChoicesFor(const Model& model, const SessionOptions& options,
                         const std::string& target, int threads, std::vector<std::string>& notes);

}  // namespace halftone
