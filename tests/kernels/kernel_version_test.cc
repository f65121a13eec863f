#include "kernels/kernel_version.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace halftone {
namespace {

const KernelEntry& SomeEntry() {
  return AllKernelTables().front().front();
}

Hash128 HashOf(const std::vector<KernelEntry>& rows,
               const std::vector<KernelVersionRow>& versions = {}) {
  const std::span<const KernelEntry> tables[] = {rows};
  return HashOfTables(tables, versions);
}

TEST(KernelVersionTest, TheHashIsTheSameEveryTime) {
  EXPECT_EQ(KernelTableHash(), KernelTableHash());
  EXPECT_EQ(KernelTableHash(), HashOfTables(AllKernelTables(), AllKernelVersions()));
}

// A change of what an entry refuses left it as it was, and stored measurements counted on.
TEST(KernelVersionTest, TheHashChangesWithEveryColumnThatSaysSomething) {
  const KernelEntry entry = SomeEntry();
  std::set<Hash128> hashes = {HashOf({entry}), HashOf({entry, entry}), HashOf({})};
  const auto changed = [&](auto change) {
    KernelEntry other = entry;
    change(other);
    hashes.insert(HashOf({other}));
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
  changed([](KernelEntry& other) { other.is_reference = !other.is_reference; });
  EXPECT_EQ(hashes.size(), 11U);
  const KernelVersionRow second{"a.kernel", 2, "refuses more"};
  const KernelVersionRow third{"a.kernel", 3, "refuses more"};
  hashes.insert(HashOf({entry}, {second}));
  hashes.insert(HashOf({entry}, {third}));
  EXPECT_EQ(hashes.size(), 13U);
}

TEST(KernelVersionTest, EveryRowIsOfAKernelAndSaysWhatChanged) {
  std::set<std::string_view> names;
  for (const auto& table : AllKernelTables()) {
    for (const KernelEntry& entry : table) {
      names.insert(entry.name);
    }
  }
  std::string_view last;
  for (const KernelVersionRow& row : AllKernelVersions()) {
    EXPECT_TRUE(names.contains(row.kernel)) << row.kernel;
    EXPECT_GE(row.version, 2) << row.kernel;
    EXPECT_FALSE(row.change.empty()) << row.kernel;
    EXPECT_LT(last, row.kernel) << "sorted, each once";
    last = row.kernel;
    EXPECT_EQ(VersionedName(row.kernel),
              std::string(row.kernel) + "@" + std::to_string(row.version));
  }
  EXPECT_EQ(VersionedName("no.such.kernel"), "no.such.kernel");
}

}  // namespace
}  // namespace halftone
