// Identity of kernels across versions of this program: an earlier measurement is valid while the
// identity is unchanged.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "kernels/kernel_table.h"
#include "src/base/hash.h"

namespace halftone {

using KernelTables = std::span<const std::span<const KernelEntry>>;

// The name with the version of its components: "conv.f32.onednn", or "conv.f32.onednn@2" if they
// have changed. A name that no table has comes back unchanged. Stored with fronts, so that `retune`
// can tell which kernels changed.
std::string VersionedName(std::string_view kernel, KernelTables tables = AllKernelTables());

// Digest of the table rows of these operators, in order: names, dtypes, modes, instruction sets,
// which functions are not null, and components with their versions. A raised component version
// changes only the digests of operators with a row that names the component.
Hash128 DigestOfKernels(const std::set<OpKind>& ops, KernelTables tables = AllKernelTables());

}  // namespace halftone
