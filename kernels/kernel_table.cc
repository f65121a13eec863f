#include "kernels/kernel_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/allocation_free.h"
#include "kernels/onednn/library_isa.h"
#include "kernels/shared_components.h"
#include "src/base/error.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

thread_local bool allocation_free = false;

// The operand whose dtype chooses the kernel: the first "T", else the first input, else the output.
DType ComputeDType(const KernelQuery& query) {
  const auto signature = ParseSignature(InfoOf(query.op).inputs);
  for (std::size_t i = 0; i < signature.size(); ++i) {
    if (signature[i].letter == 'T' && query.Input(i) != nullptr) {
      return query.Input(i)->dtype;
    }
  }
  if (query.Input(0) != nullptr) {
    return query.Input(0)->dtype;
  }
  return query.outputs.at(0)->dtype;
}

// Calls visit(entry) for the entries of one operator, best first, until it returns false.
template <typename Visit>
void ForEachEntry(OpKind op, Visit visit) {
  for (const auto& table : AllKernelTables()) {
    for (const KernelEntry& entry : table) {
      if (entry.op == op && !visit(entry)) {
        return;
      }
    }
  }
}

bool Allocates(const KernelEntry& entry) {
  return std::ranges::find(entry.components.all(), &kOneDnn) != entry.components.all().end();
}

// Empty when `entry` can serve the query, ignoring the implementation mode.
std::string ReasonAgainst(const KernelEntry& entry, const KernelQuery& query, DType dtype,
                          const KernelPreference& preference) {
  if (!entry.dtypes.Has(dtype)) {
    return fmt::format("does not compute {}", NameOf(dtype));
  }
  if ((entry.isa & preference.isa) != entry.isa) {
    const IsaMask lacking = entry.isa & ~preference.isa;
    const std::string_view why = RefusalOfSystem(lacking);
    return fmt::format("needs {}{}{}", IsaName(lacking), why.empty() ? "" : ": ", why);
  }
  if (preference.reference_only && !entry.is_reference) {
    return "the reference is asked for";
  }
  if (AllocationFreeScope::IsHere() && Allocates(entry)) {
    return "allocates memory in each run";
  }
  return entry.refusal != nullptr ? std::string(entry.refusal(query)) : std::string();
}

// "gemm.f32.highway, gemm.reference": what can be forced.
std::string EntryNames(OpKind op) {
  std::string names;
  ForEachEntry(op, [&](const KernelEntry& entry) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
    return true;
  });
  return names;
}

// The first entry that fits; see SelectKernel().
KernelChoice StaticChoice(const KernelQuery& query, const KernelPreference& preference) {
  const DType dtype = ComputeDType(query);
  KernelChoice choice;
  const KernelEntry* other_mode = nullptr;  // fits but for the mode
  const KernelEntry* slower = nullptr;      // fits, but a later one is faster
  std::string reasons;                      // of all entries, for the error
  const bool forced = !preference.forced_name.empty();
  ForEachEntry(query.op, [&](const KernelEntry& entry) {
    if (forced ? entry.name != preference.forced_name : entry.emulates) {
      return true;
    }
    std::string reason = ReasonAgainst(entry, query, dtype, preference);
    if (reason.empty()) {
      const bool mode_fits = entry.impl_mode == ImplMode::kDefault || entry.is_reference ||
                             query.impl_mode == ImplMode::kDefault ||
                             entry.impl_mode == query.impl_mode || forced;
      const std::string_view why_slower =
          entry.slower != nullptr && !forced ? entry.slower(query) : std::string_view();
      const bool better_known = other_mode != nullptr || slower != nullptr;
      if (mode_fits && why_slower.empty() && !(entry.is_reference && better_known)) {
        choice.entry = &entry;
        return false;
      }
      const KernelEntry*& second_best = mode_fits && !entry.is_reference ? slower : other_mode;
      second_best = second_best == nullptr ? &entry : second_best;
      reason = !mode_fits           ? fmt::format("is {}", NameOf(entry.impl_mode))
               : why_slower.empty() ? "is the reference"
                                    : fmt::format("is slower: {}", why_slower);
    }
    reasons += fmt::format("; {} {}", entry.name, reason);
    if (entry.dtypes.Has(dtype)) {
      choice.passed_over.push_back({std::string(entry.name), std::move(reason)});
    }
    return true;
  });
  if (choice.entry == nullptr) {
    choice.entry = slower != nullptr ? slower : other_mode;
  }
  if (choice.entry != nullptr) {
    return choice;
  }
  if (reasons.empty() && !preference.forced_name.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{} has no kernel named '{}'; it has {}", InfoOf(query.op).name,
                            preference.forced_name, EntryNames(query.op)));
  }
  throw Error(ErrorKind::kUnsupported, fmt::format("no kernel for {} in {}{}",
                                                   InfoOf(query.op).name, NameOf(dtype), reasons));
}

// Every entry that takes the query in place of `first`, which the static order gives.
std::vector<const KernelEntry*> EntriesInPlaceOf(const KernelEntry& first, const KernelQuery& query,
                                                 const KernelPreference& preference) {
  std::vector<const KernelEntry*> entries = {&first};
  const DType dtype = ComputeDType(query);
  ForEachEntry(query.op, [&](const KernelEntry& entry) {
    const bool same_mode =
        entry.impl_mode == ImplMode::kDefault || entry.impl_mode == first.impl_mode;
    if (&entry != &first && !entry.is_reference && !entry.emulates && same_mode &&
        ReasonAgainst(entry, query, dtype, preference).empty()) {
      entries.push_back(&entry);
    }
    return true;
  });
  return entries;
}

// Why the entry that operator tuning chose is not taken.
std::string ReasonAgainstChosen(const KernelQuery& query, const KernelPreference& preference) {
  std::string reason = "is no kernel of this operator (any more)";
  ForEachEntry(query.op, [&](const KernelEntry& entry) {
    if (entry.name == preference.chosen_name) {
      reason = ReasonAgainst(entry, query, ComputeDType(query), preference);
      if (reason.empty()) {
        reason = fmt::format("is {}", entry.is_reference ? "the reference"
                                      : entry.emulates ? "an instruction of other CPUs in plain C++"
                                                       : NameOf(entry.impl_mode));
      }
      return false;
    }
    return true;
  });
  return reason;
}

}  // namespace

AllocationFreeScope::AllocationFreeScope(bool wanted) noexcept
    : before_(std::exchange(allocation_free, allocation_free || wanted)) {}

AllocationFreeScope::~AllocationFreeScope() {
  allocation_free = before_;
}

bool AllocationFreeScope::IsHere() noexcept {
  return allocation_free;
}

KernelChoice SelectKernel(const KernelQuery& query, const KernelPreference& preference) {
  KernelChoice choice = StaticChoice(query, preference);
  if (preference.chosen_name.empty() || choice.entry->name == preference.chosen_name ||
      !preference.forced_name.empty()) {
    return choice;
  }
  for (const KernelEntry* entry : EntriesInPlaceOf(*choice.entry, query, preference)) {
    if (entry->name == preference.chosen_name) {
      choice.passed_over.push_back(
          {std::string(choice.entry->name), "was slower here (operator tuning)"});
      choice.entry = entry;
      choice.tuned = true;
      return choice;
    }
  }
  choice.passed_over.push_back(
      {std::string(preference.chosen_name), ReasonAgainstChosen(query, preference)});
  return choice;
}

std::vector<const KernelEntry*> KernelCandidates(const KernelQuery& query,
                                                 const KernelPreference& preference) {
  return EntriesInPlaceOf(*StaticChoice(query, preference).entry, query, preference);
}

DTypeSet KernelDTypes(OpKind op, IsaMask isa) {
  DTypeSet dtypes;
  ForEachEntry(op, [&](const KernelEntry& entry) {
    if ((entry.isa & isa) == entry.isa && !entry.emulates) {
      dtypes = dtypes | entry.dtypes;
    }
    return true;
  });
  return dtypes;
}

std::vector<ImplMode> KernelImplModes(OpKind op, DType dtype, IsaMask isa) {
  std::vector<ImplMode> modes;
  ForEachEntry(op, [&](const KernelEntry& entry) {
    const bool serves =
        entry.dtypes.Has(dtype) && (entry.isa & isa) == entry.isa && !entry.emulates;
    if (serves && entry.impl_mode != ImplMode::kDefault &&
        std::find(modes.begin(), modes.end(), entry.impl_mode) == modes.end()) {
      modes.push_back(entry.impl_mode);
    }
    return true;
  });
  return modes;
}

IsaMask UsedIsa() {
  IsaMask used = LibraryIsa();
  for (const VectorTarget& target : VectorTargets()) {
    used |= target.needs;
  }
  for (const auto& table : AllKernelTables()) {
    for (const KernelEntry& entry : table) {
      used |= entry.isa;
    }
  }
  return used & DetectIsa();
}

}  // namespace halftone
