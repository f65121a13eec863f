// Fused loops (`Chain`): element-wise steps that run together, tile by tile, in one pass over their
// operands and their result.
//
// A step computes a tile of its result; the next step reads that tile while it is in the
// first-level cache. A value between two steps has the dtype of the plan and is rounded as if each
// step ran alone, so a fused loop gives the same bits. Each such value also has a place in the
// arena, usually inside that of the loop's result, because Executable::RunObserved() runs every
// step alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/exec/program.h"

namespace halftone {

// Bytes of a tile. Three operands and the result of a step fit in 32 KiB, and calling the kernel
// (some 20 ns) costs a tenth of its work or less.
inline constexpr std::int64_t kChainTileBytes = std::int64_t{8} << 10;
// Number of tiles. Values between steps that are alive at the same time have one each; further
// values lie in the arena.
inline constexpr std::size_t kChainTiles = 4;

// Least size of the result of a fused loop. From kLeastChainBytes on, tensors lie in memory or the
// third-level cache, and a loop gains in any dtype. Smaller tensors lie in the caches next to the
// core. They gain in float32 alone, from kLeastFloat32Steps steps on; 16-bit types wait for their
// conversions. Five steps of 256 KiB take 0.57 of the time in float32 and 1.05 in 16 bits
// (halftone_fusions --chains, Zen 4 with 1 MiB of L2, 2026-11-22).
inline constexpr std::int64_t kLeastChainBytes = std::int64_t{4} << 20;
inline constexpr std::int64_t kLeastFloat32Bytes = std::int64_t{64} << 10;
inline constexpr std::size_t kLeastFloat32Steps = 3;

// One step of a fused loop, ready to run.
struct ChainMember {
  struct Operand {
    int tile = -1;                // index of its tile; -1: it lies in memory
    std::size_t entry = 0;        // index into the pointer table, for an operand in memory
    std::int64_t step_bytes = 0;  // bytes to the next element; 0: the operand is broadcast
    bool is_absent = false;
  };

  static constexpr std::size_t kMostInputs = 3;

  RangeRun run = nullptr;
  const KernelState* state = nullptr;
  std::array<Operand, kMostInputs> inputs;
  std::size_t input_count = 0;
  Operand output;
};

struct Chain {
  std::size_t first = 0;          // index of its first step
  std::size_t last = 0;           // index of its last step, inclusive
  DType dtype = DType::kFloat32;  // of the result
  std::int64_t elements = 0;
  std::int64_t tile_elements = 0;
  std::vector<ChainMember> members;  // one for each step, in order
};

// A prepared step, and the indices of its first pointers in the pointer tables.
struct ChainStep {
  RangeRun run = nullptr;  // null: the kernel cannot run by ranges, or has nothing to do
  const KernelState* state = nullptr;
  std::size_t first_input = 0;
  std::size_t first_output = 0;
};

// Brings the steps of each fused loop together: a step between them that does not depend on the
// loop moves in front of it. A cast of a value of the loop joins the loop if it has as many
// elements as the result. Call after PlanLayouts().
void GatherChains(Program& program);

// Fused loops that can run by tiles and are worth it, in order. `steps` are parallel to those of
// the program. Sets Slot::inside of values that take turns in the bytes of a loop's result. The
// memory plan must keep SlotsInMemory() from the first step of a loop to the last.
std::vector<Chain> PlanChains(Program& program, std::span<const ChainStep> steps);

// Slots of the operands and results of a fused loop that lie in memory, not in tiles.
std::vector<SlotId> SlotsInMemory(const Program& program, const Chain& chain);

// Runs a fused loop. `inputs` and `outputs` are the pointer tables of the workspace. Allocates
// nothing; the bits do not depend on the number of threads.
void RunChain(const Chain& chain, std::span<const void* const> inputs,
              std::span<void* const> outputs) noexcept;

}  // namespace halftone
