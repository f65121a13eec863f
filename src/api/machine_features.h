// Features of this machine, as a batch system uses them to choose nodes (Features= of a node in the
// configuration of Slurm).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Returns one feature for each instruction set that kernels may use here ("avx2", "avx512", ...),
// then one for the CPU ("amd_epyc_family_26_model_2"). Measurements of a machine hold for machines
// with the same features. Error kUsage for an unknown HALFTONE_MAX_ISA.
std::vector<std::string> MachineFeatures();

// Returns the features of a machine with these instruction sets and this CPU, which is named as in
// the knowledge base (Workload::cpu, "AMD EPYC (AuthenticAMD 26.2)"). A feature begins with a
// letter and has only the characters a-z, 0-9 and _. The features are distinct.
std::vector<std::string> FeaturesOf(std::span<const std::string_view> instruction_sets,
                                    std::string_view cpu);

}  // namespace halftone
