// Measures plans on ONNX Runtime, in this process.
//
// A plan is exported, loaded with all optimisations, and timed in turns with the float32 network
// (search/measure/paired_rounds.h), inputs and outputs bound to the provider's memory. A second
// session with a profile tells which types its kernels ran in: CompareKernels() compares that with
// the plan.
#pragma once

#include <memory>

#include "search/measure/runtime.h"
#include "src/ir/graph.h"
#include "src/runtimes/onnxruntime/ort_options.h"
#include "src/runtimes/plan_files.h"

namespace halftone {

// The runtime with its library loaded. `timed`: inputs of the network by name that are timed.
// Errors as OrtApi.
std::unique_ptr<Runtime> MakeOrtRuntime(const Graph& network, const Sample& timed,
                                        PlanFilesWriter writer, OrtOptions options);

}  // namespace halftone
