#include "src/exec/memory_plan.h"

#include <gtest/gtest.h>

#include "src/base/rng.h"

namespace halftone {
namespace {

TEST(MemoryPlanTest, ReusesBytesWhenLifetimesDoNotMeet) {
  const BufferLifetime buffers[] = {{100, 0, 1}, {100, 1, 2}, {100, 2, 3}};
  const MemoryPlan plan = PlanMemory(buffers);
  EXPECT_EQ(plan.offsets[0], plan.offsets[2]);
  EXPECT_NE(plan.offsets[0], plan.offsets[1]);
  EXPECT_EQ(plan.arena_bytes, 256U);  // two buffers of 100 bytes, each rounded up to 128
  EXPECT_EQ(plan.liveness_bound_bytes, 256U);
}

TEST(MemoryPlanTest, NoBuffersNeedNoArena) {
  const MemoryPlan plan = PlanMemory({});
  EXPECT_EQ(plan.arena_bytes, 0U);
  EXPECT_EQ(plan.liveness_bound_bytes, 0U);
}

class MemoryPlanPropertyTest : public ::testing::TestWithParam<std::uint64_t> {};

// Random lifetimes: nothing overlaps that is alive together, everything is aligned and inside the
// arena, and the bound is a bound.
TEST_P(MemoryPlanPropertyTest, BuffersThatMeetNeverOverlap) {
  Rng rng(GetParam());
  std::vector<BufferLifetime> buffers(1 + rng.Below(60));
  for (BufferLifetime& buffer : buffers) {
    buffer.size_bytes = rng.Below(5000);
    buffer.first = rng.Below(40);
    buffer.last = buffer.first + rng.Below(10);
  }
  const MemoryPlan plan = PlanMemory(buffers);
  EXPECT_LE(plan.liveness_bound_bytes, plan.arena_bytes);
  for (std::size_t a = 0; a < buffers.size(); ++a) {
    EXPECT_EQ(plan.offsets[a] % kArenaAlignment, 0U);
    EXPECT_LE(plan.offsets[a] + buffers[a].size_bytes, plan.arena_bytes);
    for (std::size_t b = 0; b < a; ++b) {
      const bool together =
          buffers[a].first <= buffers[b].last && buffers[b].first <= buffers[a].last;
      const bool apart = plan.offsets[a] + buffers[a].size_bytes <= plan.offsets[b] ||
                         plan.offsets[b] + buffers[b].size_bytes <= plan.offsets[a];
      EXPECT_TRUE(!together || apart) << "buffers " << a << " and " << b << ", seed " << GetParam();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MemoryPlanPropertyTest, ::testing::Range<std::uint64_t>(0, 50));

}  // namespace
}  // namespace halftone
