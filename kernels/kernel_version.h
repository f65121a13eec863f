// Which version of a kernel this program has: what was measured with another one is no measurement
// of this one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/kernel_table.h"
#include "src/base/hash.h"

namespace halftone {

struct KernelVersionRow {
  std::string_view kernel;  // KernelEntry::name
  int version;              // at least 2: 1 is that of every kernel without a row
  std::string_view change;  // what the version changed, for people
};

// A row for each kernel that has changed since it was new. Functions cannot be hashed: raise the
// version with every change of what the entry refuses, of its results or of its speed.
std::span<const KernelVersionRow> AllKernelVersions();

// "conv.f32.onednn", or "conv.f32.onednn@2" above version 1; a name that no table has comes back as
// it is. Stored with fronts, so that `retune` can tell where something changed.
std::string VersionedName(std::string_view kernel);

// KernelTableHash() of any tables and versions: order, names, operators, dtypes, modes, instruction
// sets, which functions there are, versions.
Hash128 HashOfTables(std::span<const std::span<const KernelEntry>> tables,
                     std::span<const KernelVersionRow> versions);

}  // namespace halftone
