#include "kernels/kernel_digest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "src/ir/op_table.h"

namespace halftone {
namespace {

// All tables, with one component of a later version.
class RaisedTables {
 public:
  explicit RaisedTables(const Component& component)
      : raised_{component.name, component.version + 1, "raised"} {
    for (const auto& table : AllKernelTables()) {
      std::vector<KernelEntry>& rows = rows_.emplace_back(table.begin(), table.end());
      for (KernelEntry& row : rows) {
        ComponentList components;
        for (const Component* part : row.components.all()) {
          components.Add(part == &component ? raised_ : *part);
        }
        row.components = components;
      }
    }
    tables_.assign(rows_.begin(), rows_.end());
  }

  [[nodiscard]] KernelTables tables() const { return tables_; }

 private:
  Component raised_;
  std::vector<std::vector<KernelEntry>> rows_;
  std::vector<std::span<const KernelEntry>> tables_;
};

template <typename Visit>
void ForEachRow(Visit visit) {
  for (const auto& table : AllKernelTables()) {
    for (const KernelEntry& entry : table) {
      visit(entry);
    }
  }
}

std::set<const Component*> AllComponents() {
  std::set<const Component*> components;
  ForEachRow([&](const KernelEntry& entry) {
    components.insert(entry.components.all().begin(), entry.components.all().end());
  });
  return components;
}

// By the rule of KernelEntry::calls, one step: no kernel calls one that calls another.
bool Uses(const KernelEntry& entry, const Component& component) {
  bool uses = std::ranges::count(entry.components.all(), &component) > 0;
  if (entry.calls) {
    ForEachRow([&](const KernelEntry& called) {
      EXPECT_FALSE(called.op == *entry.calls && called.calls) << called.name;
      uses = uses || (called.op == *entry.calls &&
                      std::ranges::count(called.components.all(), &component) > 0);
    });
  }
  return uses;
}

Hash128 DigestOf(const std::vector<KernelEntry>& rows) {
  std::set<OpKind> ops;
  for (const KernelEntry& row : rows) {
    ops.insert(row.op);
  }
  const std::span<const KernelEntry> tables[] = {rows};
  return DigestOfKernels(ops, tables);
}

TEST(KernelDigestTest, EveryKernelNamesAComponentAndEveryComponentSaysWhatChanged) {
  std::map<std::string_view, const Component*> by_name;
  for (const Component* component : AllComponents()) {
    EXPECT_TRUE(by_name.emplace(component->name, component).second)
        << component->name << " names two components";
    EXPECT_GE(component->version, 1) << component->name;
    EXPECT_EQ(component->change.empty(), component->version == 1) << component->name;
  }
  std::set<OpKind> with_a_fast_kernel;
  ForEachRow([&](const KernelEntry& entry) {
    if (!entry.is_reference) {
      with_a_fast_kernel.insert(entry.op);
    }
  });
  ForEachRow([&](const KernelEntry& entry) {
    const bool runs = !entry.is_reference || !with_a_fast_kernel.contains(entry.op);
    EXPECT_TRUE(!runs || !entry.components.all().empty()) << entry.name;
  });
}

// Raising the exponential once took 42 rows of a table, and made the measurements of every network
// void, also of those without one.
TEST(KernelDigestTest, ARaisedComponentChangesExactlyTheOperatorsAndKernelsThatUseIt) {
  std::set<OpKind> ops;
  ForEachRow([&](const KernelEntry& entry) { ops.insert(entry.op); });
  for (const Component* component : AllComponents()) {
    const RaisedTables raised(*component);
    std::set<OpKind> using_it;
    ForEachRow([&](const KernelEntry& entry) {
      const bool uses = Uses(entry, *component);
      if (uses) {
        using_it.insert(entry.op);
      }
      EXPECT_EQ(VersionedName(entry.name, raised.tables()) != VersionedName(entry.name), uses)
          << entry.name << " and " << component->name;
    });
    EXPECT_FALSE(using_it.empty());
    for (const OpKind op : ops) {
      EXPECT_EQ(DigestOfKernels({op}, raised.tables()) != DigestOfKernels({op}),
                using_it.contains(op))
          << InfoOf(op).name << " and " << component->name;
    }
    const OpKind some = *using_it.begin();
    EXPECT_NE(DigestOfKernels({OpKind::kShape, some}, raised.tables()),
              DigestOfKernels({OpKind::kShape, some}))
        << "one operator of several";
  }
}

TEST(KernelDigestTest, VersionsOfComponentsAddUp) {
  static constexpr Component kFirst{"first", 3, "faster"};
  static constexpr Component kSecond{"second", 2, "more exact"};
  static constexpr Component kThird{.name = "third"};
  KernelEntry conv = AllKernelTables().front().front();
  conv.name = "a.kernel";
  conv.op = OpKind::kConv;
  conv.components = {&kFirst, &kSecond, &kFirst, &kThird};
  EXPECT_EQ(conv.components.all().size(), 3U) << "each once";
  KernelEntry phases = conv;
  phases.name = "a.caller";
  phases.op = OpKind::kConvTranspose;
  phases.components = {&kFirst};
  phases.calls = OpKind::kConv;
  KernelEntry plain = conv;
  plain.name = "a.plain";
  plain.components = {&kThird};
  const KernelEntry rows[] = {conv, phases, plain};
  const std::span<const KernelEntry> tables[] = {rows};
  EXPECT_EQ(VersionedName("a.kernel", tables), "a.kernel@4");
  EXPECT_EQ(VersionedName("a.caller", tables), "a.caller@4") << "and those of what it calls";
  EXPECT_EQ(VersionedName("a.plain", tables), "a.plain");
  EXPECT_EQ(VersionedName("no.such.kernel", tables), "no.such.kernel");
}

// A change of what an entry refuses left it as it was, and stored measurements counted on.
TEST(KernelDigestTest, ChangesWithEveryColumnThatSaysSomething) {
  const KernelEntry entry = AllKernelTables().front().front();
  std::set<Hash128> digests = {DigestOf({entry}), DigestOf({entry, entry}), DigestOf({})};
  const auto changed = [&](auto change) {
    KernelEntry other = entry;
    change(other);
    digests.insert(DigestOf({other}));
  };
  changed([](KernelEntry& other) { other.name = "another"; });
  changed([](KernelEntry& other) {
    other.op = other.op == OpKind::kMatMul ? OpKind::kGemm : OpKind::kMatMul;
  });
  changed([](KernelEntry& other) {
    other.dtypes =
        other.dtypes == DTypeSet(DType::kInt64) ? DTypeSet(DType::kInt32) : DTypeSet(DType::kInt64);
  });
  changed([](KernelEntry& other) {
    other.impl_mode = other.impl_mode == ImplMode::kHighPrecision ? ImplMode::kHighPerformance
                                                                  : ImplMode::kHighPrecision;
  });
  changed([](KernelEntry& other) { other.isa = ~other.isa; });
  changed([](KernelEntry& other) {
    other.refusal = other.refusal != nullptr
                        ? nullptr
                        : +[](const KernelQuery&) -> std::string_view { return "never"; };
  });
  changed([](KernelEntry& other) {
    other.slower = other.slower != nullptr ? nullptr : +[](const KernelQuery&) -> std::string_view {
      return "always";
    };
  });
  changed([](KernelEntry& other) {
    other.run_range = other.run_range != nullptr ? nullptr : +[](const RangeArgs&) noexcept {};
  });
  changed([](KernelEntry& other) { other.is_reference = !other.is_reference; });
  changed([](KernelEntry& other) { other.emulates = !other.emulates; });
  changed([](KernelEntry& other) { other.components = {}; });
  changed([](KernelEntry& other) { other.calls = OpKind::kShape; });
  EXPECT_EQ(digests.size(), 15U);
}

}  // namespace
}  // namespace halftone
