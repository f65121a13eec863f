// Kernels of operator tuning in the folder of a point: it runs as it was measured, without the
// knowledge base, on the machine where they were chosen.
#pragma once

#include <optional>
#include <string>

#include "src/api/options/point.h"
#include "src/exec/kernel_choices.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// The choices that steps of the plan and of float32 use, with this machine and these kernels; empty
// for no choices.
std::optional<PointKernels> KernelsOfPoint(const Graph& graph, const PrecisionPlan& plan,
                                           const KernelChoices& choices);

struct PointChoices {
  KernelChoices choices;
  std::string note;  // why the kernels of the point are not used; empty: they are, or it has none
};

// The kernels of the point for a run on `threads` threads (0: all cores). On another CPU, or with
// other instruction sets, kernels or threads, none is used: there they tell nothing of speed.
PointChoices ChoicesOfPoint(const Point& point, int threads);

}  // namespace halftone
