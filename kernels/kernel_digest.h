// Identity of kernels across versions of this program: an earlier measurement counts as long as it
// is the same.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "kernels/kernel_table.h"
#include "src/base/hash.h"

namespace halftone {

using KernelTables = std::span<const std::span<const KernelEntry>>;

// "conv.f32.onednn", or "conv.f32.onednn@2" where the versions of its components add up to 2; a
// name that no table has comes back unchanged. Stored with fronts, so that `retune` can tell where
// something changed.
std::string VersionedName(std::string_view kernel, KernelTables tables = AllKernelTables());

// Digest of the rows of these operators, in order: names, dtypes, modes, instruction sets, which
// functions there are, components with their versions. A raised component changes the digests of
// the operators with a row that names it, and no others.
Hash128 DigestOfKernels(const std::set<OpKind>& ops, KernelTables tables = AllKernelTables());

}  // namespace halftone
