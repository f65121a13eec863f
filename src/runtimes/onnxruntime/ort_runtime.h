// Measures plans on ONNX Runtime, in this process.
//
// A plan is exported, loaded with all optimisations, and timed in turns with the float32 network
// (search/measure/paired_rounds.h). Inputs and outputs are bound to the provider's memory. A second
// session writes a profile with the types in which its kernels ran; CompareKernels() compares these
// with the plan.
#pragma once

#include <memory>

#include "search/measure/runtime.h"
#include "src/ir/graph.h"
#include "src/runtimes/onnxruntime/ort_options.h"
#include "src/runtimes/plan_files.h"

namespace halftone {

// Loads the library and the float32 network. `timed` has the inputs that are timed. `network` must
// outlive the runtime. Errors as OrtApi; kUnsupported: the runtime does not load the float32
// network.
std::unique_ptr<Runtime> MakeOrtRuntime(const Graph& network, const Sample& timed,
                                        PlanFilesWriter writer, OrtOptions options);

}  // namespace halftone
