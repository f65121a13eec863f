// What a measurement belongs to: the key of the knowledge base, and facts beside the key.
#pragma once

#include <string>

#include "knowledge_base/store.h"
#include "src/api/halftone.h"

namespace halftone {

// `choices` are those that apply to the network; they hold the number of threads.
Workload WorkloadOf(const Model& model, const Dataset& data, std::string_view soc_version,
                    const KernelChoices& choices);

// The kernels of this program on this CPU.
KernelVersion CurrentKernels();

// "model name" of /proc/cpuinfo; "unknown CPU" elsewhere.
std::string CpuName();

// "gcc 12.2.0"
std::string CompilerName();

// "2026-01-31T12:00:00Z"
std::string UtcNow();

}  // namespace halftone
