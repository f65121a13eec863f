// Warnings about a stored measurement that was made under other conditions than those here and now.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knowledge_base/store.h"
#include "src/base/hash.h"

namespace halftone {

// One sentence for each of version, CPU, instruction set, kernels and operator library that
// differs. `kernels`, the digest `choices` and `library` (TargetSpec::library) are those that a run
// would use now.
std::vector<std::string> VersionWarnings(const Workload& stored, const KernelVersion& kernels,
                                         const Hash128& choices, std::string_view library);

}  // namespace halftone
