// What a measurement belongs to: the key of the knowledge base, and facts beside the key.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "knowledge_base/store.h"
#include "src/api/halftone.h"

namespace halftone {

// `choices` are those that apply to the network; they hold the number of threads.
Workload WorkloadOf(const Model& model, const Dataset& data, std::string_view soc_version,
                    const KernelChoices& choices);

// The kernels of these operators in this program on this CPU: what a measurement of a network with
// them holds for.
KernelVersion CurrentKernels(const std::set<OpKind>& ops);

// The same of the operator that a timing with this signature is of, or of the operators of its
// network (OperatorTiming::of_network()).
KernelVersion KernelsTimed(std::string_view signature);

// Whether a stored workload, or a timing with this signature, was measured with the kernels,
// instruction sets and version of this program on this CPU. False where the operators are not named
// (schema 10 and before).
bool IsCurrent(const Workload& workload);
bool IsCurrent(const KernelVersion& kernels, std::string_view signature);

// "network <digest>: ...; operators Conv,Gemm; 2 threads", of OperatorTiming::of_network().
std::string NetworkSignature(std::string_view description, const std::set<OpKind>& ops,
                             int threads);

// "Conv,Gemm,Relu"
std::string OperatorNames(const std::set<OpKind>& ops);
std::set<OpKind> OperatorsNamed(std::string_view names);

// "model name" of /proc/cpuinfo; "unknown CPU" elsewhere.
std::string CpuName();

// "gcc 12.2.0"
std::string CompilerName();

// "2026-01-31T12:00:00Z"
std::string UtcNow();

}  // namespace halftone
