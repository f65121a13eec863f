// Identity of kernels across versions of this program: an earlier measurement is valid as long as
// the identity is unchanged.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "kernels/kernel_table.h"
#include "src/base/hash.h"

namespace halftone {

using KernelTables = std::span<const std::span<const KernelEntry>>;

// The name with the version of its components: "conv.f32.onednn", or "conv.f32.onednn@2" after
// their first change. A name that no table has is returned unchanged. Fronts store these names, so
// that `retune` can tell which kernels changed.
std::string VersionedName(std::string_view kernel, KernelTables tables = AllKernelTables());

// Digest of the table rows of these operators, and of the operators that their kernels call. It
// covers the order of rows, and in each row the name, dtypes, mode, instruction set, components
// with versions, and which functions are not null. A new version of a component changes only the
// digests of operators with such a row.
Hash128 DigestOfKernels(const std::set<OpKind>& ops, KernelTables tables = AllKernelTables());

}  // namespace halftone
