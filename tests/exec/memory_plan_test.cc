#include "src/exec/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

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

std::size_t Aligned(std::size_t size) {
  return (size + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

// Step by step what lives: the bound as it is defined.
std::size_t MostAlive(std::span<const BufferLifetime> buffers) {
  std::size_t most = 0;
  for (std::size_t step = 0; step < 500; ++step) {
    std::size_t alive = 0;
    for (const BufferLifetime& buffer : buffers) {
      const bool lives = buffer.first <= step && step <= buffer.last;
      alive += lives ? Aligned(buffer.size_bytes) : 0;
    }
    most = std::max(most, alive);
  }
  return most;
}

// Most buffers are read by the next step, some much later: a network with skip connections.
std::vector<BufferLifetime> ChainWithSkips(std::uint64_t seed) {
  Rng rng(seed);
  std::vector<BufferLifetime> buffers(1 + rng.Below(300));
  for (std::size_t step = 0; step < buffers.size(); ++step) {
    const std::size_t skip = rng.Below(4) == 0 ? rng.Below(20) : 0;
    buffers[step] = {64 * (1 + rng.Below(64)), step, step + 1 + skip};
  }
  return buffers;
}

class MemoryPlanBoundTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(MemoryPlanBoundTest, IsWithinAFifthOfWhatIsAlive) {
  const std::vector<BufferLifetime> buffers = ChainWithSkips(GetParam());
  const MemoryPlan plan = PlanMemory(buffers);
  EXPECT_EQ(plan.liveness_bound_bytes, MostAlive(buffers));
  EXPECT_LE(5 * plan.arena_bytes, 6 * plan.liveness_bound_bytes) << "seed " << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Seeds, MemoryPlanBoundTest, ::testing::Range<std::uint64_t>(0, 200));

// 100,000 buffers in a chain take no time that grows with their square.
TEST(MemoryPlanTest, LongChainsNeedTwoBuffers) {
  std::vector<BufferLifetime> buffers;
  for (std::size_t step = 0; step < 100'000; ++step) {
    buffers.push_back({64, step, step + 1});
  }
  EXPECT_EQ(PlanMemory(buffers).arena_bytes, 128U);
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
