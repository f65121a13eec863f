// Workload of a measurement: the key of the knowledge base, and facts beside the key.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "knowledge_base/store.h"
#include "src/api/halftone.h"

namespace halftone {

// `choices` apply to the network; they contain the number of threads.
Workload WorkloadOf(const Model& model, const Dataset& data, std::string_view soc_version,
                    const KernelChoices& choices);

// The kernels of these operators in this program on this CPU: a network's measurement is valid for
// these.
KernelVersion CurrentKernels(const std::set<OpKind>& ops);

// The same for the operator whose timing has this signature, or for the operators of its network
// (OperatorTiming::of_network()).
KernelVersion KernelsTimed(std::string_view signature);

// True for a stored workload, or a timing with this signature, that was measured with the kernels,
// instruction sets and version of this program on this model of CPU. False for unnamed operators
// and an unknown CPU, which imports of old banks have.
bool IsCurrent(const Workload& workload);
bool IsCurrent(const KernelVersion& kernels, std::string_view signature);

// "network <digest>: ...; operators Conv,Gemm; 2 threads", for OperatorTiming::of_network().
std::string NetworkSignature(std::string_view description, const std::set<OpKind>& ops,
                             int threads);

// "Conv,Gemm,Relu"
std::string OperatorNames(const std::set<OpKind>& ops);
std::set<OpKind> OperatorsNamed(std::string_view names);

// "AMD EPYC (AuthenticAMD 25.17)": model name, vendor, family and model of /proc/cpuinfo, because
// clouds leave the number out of the name. "unknown CPU" elsewhere.
std::string CpuName();

// Begin of a Workload::cpu whose latencies are predicted for a device (Roofline::description()).
inline constexpr std::string_view kPredictedCpu = "predicted for ";

// Workload::cpu of measurements on a runtime outside halftone: CpuName(), "; " and the runtime.
std::string CpuWithRuntime(std::string_view runtime);
bool IsOnRuntime(std::string_view cpu);

// True for a Workload::cpu that measurements for this machine may have: its own, unknown, or none,
// as predicted latencies have.
bool MayBeOfThisCpu(std::string_view cpu);

// Workload::cpu with the operator library that the target has (TargetSpec::library); unchanged
// where that is the built-in one. LibraryOf() gives it back.
std::string CpuWithLibrary(std::string cpu, std::string_view library);
std::string_view LibraryOf(std::string_view cpu);

// The machine of a Workload::cpu, without its runtime; empty: unknown, or none (predicted).
std::string_view MachineOf(std::string_view cpu);

// "gcc 12.2.0"
std::string CompilerName();

// "2026-01-31T12:00:00Z"
std::string UtcNow();

}  // namespace halftone
