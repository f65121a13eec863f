// Kernel choices of operator tuning in the folder of a point. With them the point runs as it was
// measured, without the knowledge base, on the machine where the kernels were chosen.
#pragma once

#include <optional>
#include <string>

#include "src/api/options/point.h"
#include "src/exec/kernel_choices.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Selects the choices that a step of the plan or of the float32 plan uses, and adds the CPU, the
// instruction sets and the version of the present kernels. Empty: no step uses a choice.
std::optional<PointKernels> KernelsOfPoint(const Graph& graph, const PrecisionPlan& plan,
                                           const KernelChoices& choices);

struct PointChoices {
  KernelChoices choices;
  // Reason why the kernels of the point are not used; empty: they are, or the point has none.
  std::string note;
};

// Kernel choices of the point for a run on `threads` threads (0: all cores). No choice is used on
// another CPU, or with other instruction sets, another kernel version or another number of threads,
// because the choices were timed under the recorded conditions.
PointChoices ChoicesOfPoint(const Point& point, int threads);

}  // namespace halftone
