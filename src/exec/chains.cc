#include "src/exec/chains.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "kernels/parallel.h"
#include "kernels/streamed_store.h"

namespace halftone {
namespace {

constexpr std::size_t kMostElementBytes = 4;  // of a value in a tile

std::int64_t ElementsOf(const Program& program, SlotId id) {
  return program.SlotAt(id).type.shape.ElementCount();
}

SlotId RootOf(const Program& program, SlotId id) {
  return program.SlotAt(id).root;
}

// Moves the steps of [first, last] that do not depend on the fused loop before it; casts of its
// values join it.
void GatherOne(Program& program, std::size_t first, std::size_t last) {
  const std::int64_t chain = program.steps[first].chain;
  const std::int64_t elements = ElementsOf(program, program.steps[last].outputs[0]);
  std::vector<bool> is_made(program.slots.size(), false);  // by root: by a step that stays
  std::vector<Step> before;
  std::vector<Step> behind;
  for (std::size_t s = first; s <= last; ++s) {
    Step& step = program.steps[s];
    const bool waits = std::any_of(step.inputs.begin(), step.inputs.end(), [&](SlotId id) {
      return id != kNoSlot && is_made[static_cast<std::size_t>(RootOf(program, id))];
    });
    if (step.chain != chain && !waits) {
      before.push_back(std::move(step));
      continue;
    }
    if (step.op == OpKind::kCast && ElementsOf(program, step.outputs[0]) == elements) {
      step.chain = chain;
    }
    for (const SlotId id : step.outputs) {
      if (id != kNoSlot) {
        is_made[static_cast<std::size_t>(RootOf(program, id))] = true;
      }
    }
    behind.push_back(std::move(step));
  }
  auto place = std::move(before.begin(), before.end(),
                         program.steps.begin() + static_cast<std::ptrdiff_t>(first));
  std::move(behind.begin(), behind.end(), place);
}

class ChainPlanner {
 public:
  ChainPlanner(Program& program, std::span<const ChainStep> steps)
      : program_(program), steps_(steps), last_reader_(program.slots.size(), 0) {
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
      for (const SlotId id : program.steps[s].inputs) {
        if (id != kNoSlot) {
          last_reader_[static_cast<std::size_t>(RootOf(program, id))] = s;
        }
      }
    }
    for (const Slot& slot : program.slots) {  // what has parts, or is one, is no value of its own
      if (slot.inside != kNoSlot) {
        last_reader_[static_cast<std::size_t>(RootOf(program, slot.inside))] = kNeverOver;
      }
    }
  }

  std::vector<Chain> Run() {
    std::vector<Chain> chains;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      Chain chain{.first = s, .last = s, .elements = 0, .members = {}};
      while (chain.last + 1 < steps_.size() && GoesOn(chain.first, chain.last + 1)) {
        ++chain.last;
      }
      const std::size_t last = chain.last;
      if (last > s && IsWorthIt(chain)) {
        FillMembers(chain);
        chains.push_back(std::move(chain));
      }
      s = last;
    }
    return chains;
  }

 private:
  static constexpr std::size_t kNeverOver = static_cast<std::size_t>(-1);

  [[nodiscard]] const Step& StepAt(std::size_t s) const { return program_.steps[s]; }

  [[nodiscard]] const TensorType& ResultOf(std::size_t s) const {
    return program_.SlotAt(StepAt(s).outputs[0]).type;
  }

  [[nodiscard]] std::int64_t ResultElements(std::size_t s) const {
    return ResultOf(s).shape.ElementCount();
  }

  [[nodiscard]] bool IsTileable(std::size_t s) const {
    const Step& step = StepAt(s);
    return step.chain != 0 && steps_[s].run != nullptr && !step.in_place &&
           step.outputs.size() == 1 && step.inputs.size() <= ChainMember::kMostInputs;
  }

  [[nodiscard]] bool GoesOn(std::size_t first, std::size_t next) const {
    return IsTileable(first) && IsTileable(next) && StepAt(first).chain == StepAt(next).chain &&
           ResultElements(first) == ResultElements(next);
  }

  [[nodiscard]] bool IsWorthIt(const Chain& chain) const {
    const std::int64_t bytes = ResultOf(chain.last).size_bytes();
    if (bytes >= kLeastChainBytes) {
      return true;
    }
    bool is_float32 = true;
    for (std::size_t s = chain.first; s <= chain.last; ++s) {
      is_float32 = is_float32 && ResultOf(s).dtype == DType::kFloat32;
    }
    return is_float32 && bytes >= kLeastFloat32Bytes &&
           chain.last - chain.first + 1 >= kLeastFloat32Steps;
  }

  // True if only steps of the fused loop read the result of step s, so that its elements live in a
  // tile alone.
  [[nodiscard]] bool StaysInside(const Chain& chain, std::size_t s) const {
    const SlotId root = RootOf(program_, StepAt(s).outputs[0]);
    const Slot& slot = program_.SlotAt(root);
    return s < chain.last && slot.in_arena() && slot.inside == kNoSlot &&
           last_reader_[static_cast<std::size_t>(root)] <= chain.last &&
           SizeOf(slot.type.dtype) <= kMostElementBytes;
  }

  void FillMembers(Chain& chain) {
    chain.elements = ResultElements(chain.first);
    held_.fill(kNoSlot);
    std::int64_t widest = ElementBytes(StepAt(chain.last).outputs[0]);
    for (std::size_t s = chain.first; s <= chain.last; ++s) {
      const Step& step = StepAt(s);
      ChainMember member{.run = steps_[s].run, .state = steps_[s].state, .inputs = {}};
      for (const SlotId id : step.inputs) {
        ChainMember::Operand& operand = member.inputs[member.input_count];
        operand.entry = steps_[s].first_input + member.input_count++;
        operand.is_absent = id == kNoSlot;
        if (id != kNoSlot) {
          operand.tile = TileOf(RootOf(program_, id));
          operand.step_bytes = StepBytes(chain, id);
        }
      }
      const SlotId result = RootOf(program_, step.outputs[0]);
      Release(s, result);
      member.output = {.entry = steps_[s].first_output, .step_bytes = ElementBytes(result)};
      if (StaysInside(chain, s) && TileOf(kNoSlot) >= 0) {
        member.output.tile = TileOf(kNoSlot);
        held_[static_cast<std::size_t>(member.output.tile)] = result;
        widest = std::max(widest, member.output.step_bytes);
      }
      chain.members.push_back(member);
    }
    chain.tile_elements = kChainTileBytes / widest;
    chain.dtype = ResultOf(chain.last).dtype;
    ShareResult(chain);
  }

  // The tile that holds a root, or with kNoSlot the first that is free; -1: none.
  [[nodiscard]] int TileOf(SlotId root) const {
    const auto found = std::find(held_.begin(), held_.end(), root);
    return found == held_.end() ? -1 : static_cast<int>(found - held_.begin());
  }

  // Frees tiles that no step behind s reads. Step s may write its result over what it reads, if the
  // elements have one size.
  void Release(std::size_t s, SlotId result) {
    for (SlotId& root : held_) {
      if (root == kNoSlot) {
        continue;
      }
      const std::size_t last = last_reader_[static_cast<std::size_t>(root)];
      if (last < s || (last == s && ElementBytes(root) == ElementBytes(result))) {
        root = kNoSlot;
      }
    }
  }

  // When every step runs alone, the values of one tile alternate in the result of the fused loop:
  // it needs no more of the arena than its steps did.
  void ShareResult(const Chain& chain) {
    const SlotId result = RootOf(program_, StepAt(chain.last).outputs[0]);
    for (std::size_t s = chain.first; s < chain.last; ++s) {
      const SlotId root = RootOf(program_, StepAt(s).outputs[0]);
      if (chain.members[s - chain.first].output.tile == 0 &&
          ElementBytes(root) == ElementBytes(result)) {
        program_.slots[static_cast<std::size_t>(root)].inside = result;
      }
    }
  }

  [[nodiscard]] std::int64_t ElementBytes(SlotId id) const {
    return static_cast<std::int64_t>(SizeOf(program_.SlotAt(id).type.dtype));
  }

  // 0 for an operand that is broadcast.
  [[nodiscard]] std::int64_t StepBytes(const Chain& chain, SlotId id) const {
    return ElementsOf(program_, id) == chain.elements ? ElementBytes(id) : 0;
  }

  Program& program_;
  std::span<const ChainStep> steps_;
  std::vector<std::size_t> last_reader_;    // by root
  std::array<SlotId, kChainTiles> held_{};  // by tile: the root whose value it holds, or kNoSlot
};

}  // namespace

void GatherChains(Program& program) {
  std::map<std::int64_t, std::pair<std::size_t, std::size_t>> ranges;  // by chain
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    if (const std::int64_t chain = program.steps[s].chain; chain != 0) {
      ranges.try_emplace(chain, s, s).first->second.second = s;
    }
  }
  // Loops by their last steps: a gathered loop stays together when one behind it is gathered.
  std::vector<std::pair<std::size_t, std::int64_t>> order;
  order.reserve(ranges.size());
  for (const auto& [chain, range] : ranges) {
    order.emplace_back(range.second, chain);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [last, chain] : order) {
    const std::size_t first = ranges[chain].first;
    GatherOne(program, first, last);
    for (std::size_t s = first; s <= last; ++s) {
      const auto moved = ranges.find(program.steps[s].chain);
      if (moved != ranges.end()) {
        moved->second.first = std::min(moved->second.first, s);
      }
    }
  }
}

std::vector<Chain> PlanChains(Program& program, std::span<const ChainStep> steps) {
  return ChainPlanner(program, steps).Run();
}

std::vector<SlotId> SlotsInMemory(const Program& program, const Chain& chain) {
  std::vector<SlotId> slots;
  for (std::size_t i = 0; i < chain.members.size(); ++i) {
    const Step& step = program.steps[chain.first + i];
    const ChainMember& member = chain.members[i];
    for (std::size_t k = 0; k < step.inputs.size(); ++k) {
      if (member.inputs[k].tile < 0) {
        slots.push_back(step.inputs[k]);
      }
    }
    if (member.output.tile < 0) {
      slots.push_back(step.outputs[0]);
    }
  }
  return slots;
}

namespace {

struct alignas(64) Tile {
  std::byte bytes[kChainTileBytes];
};

// The pointer tables of the workspace.
struct Pointers {
  std::span<const void* const> inputs;
  std::span<void* const> outputs;
};

// Elements [begin, end); those of the chain's result go to `result`.
void RunPart(const Chain& chain, const Pointers& pointers, std::int64_t begin, std::int64_t end,
             std::span<Tile> tiles, std::byte* result) noexcept {
  const ChainMember* last = &chain.members.back();
  for (const ChainMember& member : chain.members) {
    std::array<const void*, ChainMember::kMostInputs> operands{};
    for (std::size_t i = 0; i < member.input_count; ++i) {
      const ChainMember::Operand& operand = member.inputs[i];
      if (operand.tile >= 0) {
        operands[i] = tiles[static_cast<std::size_t>(operand.tile)].bytes;
      } else if (!operand.is_absent) {
        operands[i] = static_cast<const std::byte*>(pointers.inputs[operand.entry]) +
                      begin * operand.step_bytes;
      }
    }
    std::byte* output = result;
    if (member.output.tile >= 0) {
      output = tiles[static_cast<std::size_t>(member.output.tile)].bytes;
    } else if (&member != last) {
      output = static_cast<std::byte*>(pointers.outputs[member.output.entry]) +
               begin * member.output.step_bytes;
    }
    member.run({.state = member.state,
                .inputs = {operands.data(), member.input_count},
                .output = output,
                .begin = begin,
                .end = end});
  }
}

}  // namespace

void RunChain(const Chain& chain, std::span<const void* const> inputs,
              std::span<void* const> outputs) noexcept {
  // 0.1 ns an element and step in the cache: 25 us.
  const std::int64_t grain =
      (std::int64_t{1} << 18) / static_cast<std::int64_t>(chain.members.size());
  const ChainMember::Operand& output = chain.members.back().output;
  auto* y = static_cast<std::byte*>(outputs[output.entry]);
  const bool is_streamed = IsStreamed(chain.dtype, chain.elements);
  ParallelFor(chain.elements, grain, [&](std::int64_t begin, std::int64_t end) {
    Tile tiles[kChainTiles];
    const auto run = [&](std::int64_t first, std::int64_t last, std::byte* result) {
      RunPart(chain, {inputs, outputs}, first, last, tiles, result);
    };
    if (is_streamed) {
      MakeStreamed(y, begin, end, run);
      return;
    }
    for (std::int64_t i = begin; i < end; i += chain.tile_elements) {
      run(i, std::min(i + chain.tile_elements, end), y + i * output.step_bytes);
    }
  });
}

}  // namespace halftone
