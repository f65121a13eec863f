// Warnings about a stored measurement that was made under other conditions than the present ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knowledge_base/store.h"
#include "src/base/hash.h"

namespace halftone {

// One sentence for each difference in version, CPU (on the same CPU: instruction sets), kernels
// (with the same kernels: choices of operator tuning) and operator library. `kernels`, the digest
// `choices` and `library` (TargetSpec::library) are those that a run would use now.
std::vector<std::string> VersionWarnings(const Workload& stored, const KernelVersion& kernels,
                                         const Hash128& choices, std::string_view library);

}  // namespace halftone
