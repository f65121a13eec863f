#include "kernels/kernel_digest.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "src/ir/op_table.h"

namespace halftone {
namespace {

// Calls visit(entry) for each row of `op`, in order.
template <typename Visit>
void ForEachRow(KernelTables tables, OpKind op, Visit visit) {
  for (const auto& table : tables) {
    for (const KernelEntry& entry : table) {
      if (entry.op == op) {
        visit(entry);
      }
    }
  }
}

// `ops` and the operators whose kernels theirs call.
std::set<OpKind> WithCalled(const std::set<OpKind>& ops, KernelTables tables) {
  std::set<OpKind> all;
  std::vector<OpKind> left(ops.begin(), ops.end());
  while (!left.empty()) {
    const OpKind op = left.back();
    left.pop_back();
    if (!all.insert(op).second) {
      continue;
    }
    ForEachRow(tables, op, [&](const KernelEntry& entry) {
      if (entry.calls) {
        left.push_back(*entry.calls);
      }
    });
  }
  return all;
}

// Version of a row: 1, plus 1 for each revision of its components and of those of the kernels that
// it calls.
int VersionOf(const KernelEntry& entry, KernelTables tables) {
  std::set<const Component*> components(entry.components.all().begin(),
                                        entry.components.all().end());
  if (entry.calls) {
    for (const OpKind op : WithCalled({*entry.calls}, tables)) {
      ForEachRow(tables, op, [&](const KernelEntry& called) {
        components.insert(called.components.all().begin(), called.components.all().end());
      });
    }
  }
  int version = 1;
  for (const Component* component : components) {
    version += component->version - 1;
  }
  return version;
}

void AddRow(Hasher& hasher, const KernelEntry& entry) {
  hasher.Add(entry.name).Add(NameOf(entry.impl_mode));
  for (std::size_t dtype = 0; dtype < std::size(kDTypes); ++dtype) {
    hasher.Add(std::int64_t{entry.dtypes.Has(static_cast<DType>(dtype))});
  }
  hasher.Add(std::int64_t{entry.isa})
      .Add(std::int64_t{entry.refusal != nullptr})
      .Add(std::int64_t{entry.slower != nullptr})
      .Add(std::int64_t{entry.run_range != nullptr})
      .Add(std::int64_t{entry.is_reference})
      .Add(std::int64_t{entry.emulates});
  for (const Component* component : entry.components.all()) {
    hasher.Add(component->name).Add(std::int64_t{component->version});
  }
}

}  // namespace

std::string VersionedName(std::string_view kernel, KernelTables tables) {
  for (const auto& table : tables) {
    for (const KernelEntry& entry : table) {
      if (entry.name == kernel) {
        const int version = VersionOf(entry, tables);
        return version == 1 ? std::string(kernel) : fmt::format("{}@{}", kernel, version);
      }
    }
  }
  return std::string(kernel);
}

Hash128 DigestOfKernels(const std::set<OpKind>& ops, KernelTables tables) {
  Hasher hasher;
  for (const OpKind op : WithCalled(ops, tables)) {
    hasher.Add(InfoOf(op).name);
    ForEachRow(tables, op, [&](const KernelEntry& entry) { AddRow(hasher, entry); });
  }
  return hasher.Finish();
}

}  // namespace halftone
