// Finds duplicate runs of a test under HALFTONE_MAX_ISA: limits that leave the same instruction
// sets.
#pragma once

#include <cstdlib>
#include <string>

#include "kernels/cpu_isa.h"

namespace halftone::testing {

// The reason to skip this run; empty if there is none. A run is a duplicate if its limit excludes
// no instruction set of this CPU (then it equals the run without a limit), or if it leaves the same
// sets as `baseline` or as the limit of an earlier row of InstructionSets().
inline std::string ReasonToSkipIsa() {
  const char* limit = std::getenv("HALFTONE_MAX_ISA");
  if (limit == nullptr || *limit == '\0') {
    return "";
  }
  if (DetectIsa() == CpuIsa()) {
    return "this CPU has no more than " + std::string(limit) +
           ": the run without a limit is the same";
  }
  for (const InstructionSet& set : InstructionSets()) {
    if (set.name == limit) {
      break;
    }
    if ((CpuIsa() & WithIncluded(set.bit)) == DetectIsa()) {
      return "on this CPU the same as the run with " + std::string(set.name);
    }
  }
  const bool same_as_baseline = DetectIsa() == kIsaAny && std::string(limit) != IsaName(kIsaAny);
  return same_as_baseline ? "on this CPU the same as the run with " + IsaName(kIsaAny) : "";
}

}  // namespace halftone::testing
