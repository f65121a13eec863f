// Random plans on random graphs, for every target that halftone knows: written to option files,
// read back and resolved, they are the same plan.
#include <gtest/gtest.h>

#include "src/api/halftone.h"
#include "src/precision/files/write_files.h"
#include "src/precision/resolve/resolve.h"
#include "src/precision/write/plan_writer.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_plans.h"

namespace halftone {
namespace {

TEST(PlanWriterTargets, TenThousandRandomPlans) {
  constexpr std::uint64_t kCases = 10'000;
  std::vector<TargetSpec> targets;
  for (const std::string& name : TargetNames()) {
    targets.push_back(LoadTarget(name));
  }
  ASSERT_GT(targets.size(), 5U);
  std::size_t renamed = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    Rng rng(seed);
    const TargetSpec& target = targets[seed % targets.size()];
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " on " << target.name);
    Graph graph = testing::RandomGraph(rng);
    const PrecisionPlan plan = testing::RandomPlan(rng, graph, target);
    WrittenConfiguration written;
    try {
      written = ConfigurationFor(graph, plan, target);
    } catch (const Error& error) {
      // Only names can be in the way: with plain ones the same plan is reached.
      ASSERT_EQ(error.kind(), ErrorKind::kUnsupported) << error.what();
      ++renamed;
      testing::GivePlainNames(graph);
      written = ConfigurationFor(graph, plan, target);
    }
    ASSERT_EQ(ResolvePrecision(graph, ReadOptionFiles(WriteOptionFiles(written.options)), target),
              plan);
  }
  EXPECT_LT(renamed, kCases / 4);
}

}  // namespace
}  // namespace halftone
