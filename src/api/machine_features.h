// Features of this machine by which a batch system places work: what stands behind Features= of
// a node of Slurm.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// One for each instruction set that kernels may use here ("avx2", "avx512", ...), then the CPU
// ("amd_epyc_family_26_model_2"): machines with the same features measure for each other. Error
// kUsage for an unknown HALFTONE_MAX_ISA.
std::vector<std::string> MachineFeatures();

// The same for instruction sets by name and a CPU as the knowledge base names it (Workload::cpu,
// "AMD EPYC (AuthenticAMD 26.2)"). Each feature begins with a letter and holds a-z, 0-9 and _
// alone; none stands twice.
std::vector<std::string> FeaturesOf(std::span<const std::string_view> instruction_sets,
                                    std::string_view cpu);

}  // namespace halftone
