// Which runs of a test under HALFTONE_MAX_ISA show nothing that another run does not.
#pragma once

#include <cstdlib>
#include <string>

#include "kernels/cpu_isa.h"

namespace halftone::testing {

// Empty: nothing allows less than this run does in the same way. Else why the run can be left out:
// the limit takes nothing from this CPU, or leaves what a limit of an earlier row leaves.
inline std::string WhyIsaIsRunAlready() {
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
