#include "src/exec/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace halftone {
namespace {

std::size_t Aligned(std::size_t size) {
  return (size + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

bool Meet(const BufferLifetime& a, const BufferLifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

struct Placed {
  std::size_t begin;
  std::size_t end;
};

// The lowest offset with `size` free bytes between `taken`, which is sorted by begin.
std::size_t LowestGap(const std::vector<Placed>& taken, std::size_t size) {
  std::size_t offset = 0;
  for (const Placed& region : taken) {
    if (region.begin >= offset + size) {
      break;
    }
    offset = std::max(offset, region.end);
  }
  return offset;
}

std::size_t LivenessBound(std::span<const BufferLifetime> buffers) {
  std::size_t steps = 0;
  for (const BufferLifetime& buffer : buffers) {
    steps = std::max(steps, buffer.last + 1);
  }
  // Sizes that appear and disappear at each step; the running sum is what is alive.
  std::vector<std::size_t> appear(steps + 1, 0);
  std::vector<std::size_t> vanish(steps + 1, 0);
  for (const BufferLifetime& buffer : buffers) {
    appear[buffer.first] += Aligned(buffer.size_bytes);
    vanish[buffer.last + 1] += Aligned(buffer.size_bytes);
  }
  std::size_t alive = 0;
  std::size_t most = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    alive = alive + appear[step] - vanish[step];
    most = std::max(most, alive);
  }
  return most;
}

}  // namespace

MemoryPlan PlanMemory(std::span<const BufferLifetime> buffers) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return buffers[a].size_bytes > buffers[b].size_bytes;
  });
  MemoryPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  plan.liveness_bound_bytes = LivenessBound(buffers);
  std::vector<std::size_t> done;
  std::vector<Placed> taken;
  for (const std::size_t next : order) {
    taken.clear();
    for (const std::size_t other : done) {
      if (Meet(buffers[next], buffers[other])) {
        taken.push_back(
            {plan.offsets[other], plan.offsets[other] + Aligned(buffers[other].size_bytes)});
      }
    }
    std::sort(taken.begin(), taken.end(),
              [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    const std::size_t size = Aligned(buffers[next].size_bytes);
    plan.offsets[next] = LowestGap(taken, size);
    plan.arena_bytes = std::max(plan.arena_bytes, plan.offsets[next] + size);
    done.push_back(next);
  }
  return plan;
}

}  // namespace halftone
