// Workload of a measurement: the key of the knowledge base, and facts that are not part of the key.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "knowledge_base/store.h"
#include "src/api/halftone.h"

namespace halftone {

// Workload of the network on the search samples `data`, run with the present kernels and with
// `choices`, which also hold the number of threads.
Workload WorkloadOf(const Model& model, const Dataset& data, std::string_view soc_version,
                    const KernelChoices& choices);

// Version of these operators' kernels in this program on this CPU. A measurement of a network is
// valid only for the version with which it was made.
KernelVersion CurrentKernels(const std::set<OpKind>& ops);

// CurrentKernels() of the operator in the signature of a timing, or of all operators in the
// signature of a network's timing (OperatorTiming::of_network()). Any other text gives an empty
// version.
KernelVersion KernelsTimed(std::string_view signature);

// True if a stored workload, or a timing with this signature, was measured with the kernels,
// instruction sets and version of this program on this CPU model; also for predicted latencies of
// these kernels. False if the operators or the CPU are unknown, as in imports of old banks.
bool IsCurrent(const Workload& workload);
bool IsCurrent(const KernelVersion& kernels, std::string_view signature);

// Signature of a network's timing (OperatorTiming::of_network()): "network DESCRIPTION; operators
// Conv,Gemm; 2 threads".
std::string NetworkSignature(std::string_view description, const std::set<OpKind>& ops,
                             int threads);

// "Conv,Gemm,Relu"
std::string OperatorNames(const std::set<OpKind>& ops);
// Inverse of OperatorNames(); skips unknown names.
std::set<OpKind> OperatorsNamed(std::string_view names);

// "AMD EPYC (AuthenticAMD 25.17)": name, vendor, family and model of the CPU in /proc/cpuinfo.
// Family and model are included because virtual machines may have shortened names. "unknown CPU" if
// there is no name.
std::string CpuName();

// Prefix of a Workload::cpu whose latencies are predicted for a device (Roofline::description()).
inline constexpr std::string_view kPredictedCpu = "predicted for ";

// Workload::cpu of measurements on another runtime (--measure): CpuName(), "; " and the runtime.
std::string CpuWithRuntime(std::string_view runtime);
bool IsOnRuntime(std::string_view cpu);

// True if measurements with this Workload::cpu may hold for this machine: they were made on its
// CPU model or on an unknown one, or they are predicted.
bool MayBeOfThisCpu(std::string_view cpu);

// Appends the operator library of a target (TargetSpec::library) to a Workload::cpu; an empty
// library, the built-in one, changes nothing.
std::string CpuWithLibrary(std::string cpu, std::string_view library);
// Library that CpuWithLibrary() appended; empty: none.
std::string_view LibraryOf(std::string_view cpu);

// CPU model in a Workload::cpu, without runtime and library; empty: unknown, or predicted.
std::string_view MachineOf(std::string_view cpu);

// "gcc 12.2.0"
std::string CompilerName();

// "2026-01-31T12:00:00Z"
std::string UtcNow();

}  // namespace halftone
