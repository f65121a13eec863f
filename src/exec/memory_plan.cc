#include "src/exec/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace halftone {
namespace {

std::size_t Aligned(std::size_t size) {
  return (size + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

// Budget for plans above the bound: placements of single buffers, and orders tried.
constexpr std::size_t kMostPlacements = 100'000;
constexpr std::size_t kMostTries = 200;
constexpr std::size_t kCloseEnough =
    50;  // above the bound by one part in as many: no more is tried

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

using Order = std::vector<std::size_t>;

// Places one buffer after the other, each at the lowest offset that is free while it lives.
class Placement {
 public:
  Placement(std::span<const BufferLifetime> buffers, const Order& order) : buffers_(buffers) {
    std::size_t steps = 0;
    for (const BufferLifetime& buffer : buffers) {
      steps = std::max(steps, buffer.last + 1);
    }
    alive_.resize(steps);
    begun_.resize(steps);
    offsets.assign(buffers.size(), 0);
    for (const std::size_t next : order) {
      Place(next);
    }
  }

  std::vector<std::size_t> offsets;
  std::size_t arena_bytes = 0;
  std::size_t highest = 0;  // the first buffer that ends where the arena ends

 private:
  void Place(std::size_t next) {
    const BufferLifetime& buffer = buffers_[next];
    // Placed buffers that live when it begins, or begin while it lives, once each.
    taken_.clear();
    Take(alive_[buffer.first]);
    for (std::size_t step = buffer.first + 1; step <= buffer.last; ++step) {
      Take(begun_[step]);
    }
    std::sort(taken_.begin(), taken_.end(),
              [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    const std::size_t size = Aligned(buffer.size_bytes);
    offsets[next] = LowestGap(taken_, size);
    if (offsets[next] + size > arena_bytes) {
      arena_bytes = offsets[next] + size;
      highest = next;
    }
    begun_[buffer.first].push_back(next);
    for (std::size_t step = buffer.first; step <= buffer.last; ++step) {
      alive_[step].push_back(next);
    }
  }

  void Take(const std::vector<std::size_t>& others) {
    for (const std::size_t other : others) {
      taken_.push_back({offsets[other], offsets[other] + Aligned(buffers_[other].size_bytes)});
    }
  }

  std::span<const BufferLifetime> buffers_;
  std::vector<std::vector<std::size_t>> alive_;  // by step: placed buffers
  std::vector<std::vector<std::size_t>> begun_;  // those that begin there
  std::vector<Placed> taken_;
};

// Largest first by `weight` of a buffer; ties in the order given.
template <typename Weight>
Order LargestFirst(std::span<const BufferLifetime> buffers, const Weight& weight) {
  Order order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return weight(buffers[a]) > weight(buffers[b]);
  });
  return order;
}

// Lets the buffer that made the arena as large as it is choose before all others.
void MoveToFront(Order& order, std::size_t buffer) {
  const auto at = std::find(order.begin(), order.end(), buffer);
  std::rotate(order.begin(), at, at + 1);
}

}  // namespace

MemoryPlan PlanMemory(std::span<const BufferLifetime> buffers) {
  MemoryPlan plan;
  plan.liveness_bound_bytes = LivenessBound(buffers);
  bool is_first = true;
  const auto try_order = [&](const Order& order) {
    Placement placement(buffers, order);
    if (is_first || placement.arena_bytes < plan.arena_bytes) {
      plan.offsets = std::move(placement.offsets);
      plan.arena_bytes = placement.arena_bytes;
      is_first = false;
    }
    return placement.highest;
  };
  const auto length = [](const BufferLifetime& buffer) { return buffer.last - buffer.first + 1; };
  const Order starts[] = {
      LargestFirst(buffers, [](const BufferLifetime& buffer) { return buffer.size_bytes; }),
      LargestFirst(buffers, [&](const BufferLifetime& b) { return b.size_bytes * length(b); }),
      LargestFirst(buffers, length)};
  const std::size_t tries = std::clamp<std::size_t>(
      kMostPlacements / std::max<std::size_t>(buffers.size(), 1), 1, kMostTries);
  for (const Order& start : starts) {
    Order order = start;
    for (std::size_t i = 0; i < tries; ++i) {
      const std::size_t highest = try_order(order);
      if (plan.arena_bytes - plan.liveness_bound_bytes <=
          plan.liveness_bound_bytes / kCloseEnough) {
        return plan;
      }
      MoveToFront(order, highest);
    }
  }
  return plan;
}

}  // namespace halftone
