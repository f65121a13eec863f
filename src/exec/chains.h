// Fused loops (`Chain`): element-wise steps that run together, tile by tile, in one pass over the
// tensors that go in and the one that comes out.
//
// A step computes a tile of its result; while that tile is in the first-level cache, the next step
// computes its own tile from it. Values between the steps have the dtype of the plan and are
// rounded as when each step runs alone, so the bits are the same. Each still has a place in the
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

// Bytes of a tile: operands and results of a step stay in 32 KiB, and the call of a kernel (some 20
// ns) is a tenth of the work or less.
inline constexpr std::int64_t kChainTileBytes = 8 * 1024;
// Tiles for values between steps that are alive at the same time; further values go to the arena.
inline constexpr std::size_t kChainTiles = 4;

// Least size of the result for a fused loop. Tensors in memory or the third-level cache gain in any
// dtype; those in the caches next to the core gain in float32 from three steps on, while 16-bit
// types wait for their conversions (0.57 and 1.05 of the time with five steps of 256 KiB;
// halftone_fusions --chains, Zen 4 with 1 MiB of L2, 2026-11-22).
inline constexpr std::int64_t kLeastChainBytes = 4 * 1024 * 1024;
inline constexpr std::int64_t kLeastFloat32Bytes = 64 * 1024;
inline constexpr std::size_t kLeastFloat32Steps = 3;

// One step of a fused loop, ready to run.
struct ChainMember {
  struct Operand {
    int tile = -1;                // index of its tile; -1: it is in memory
    std::size_t entry = 0;        // into the pointer table, where it is in memory
    std::int64_t step_bytes = 0;  // to the next element; 0: not cut into tiles
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
  std::size_t first = 0;          // step
  std::size_t last = 0;           // inclusive
  DType dtype = DType::kFloat32;  // of the result
  std::int64_t elements = 0;
  std::int64_t tile_elements = 0;
  std::vector<ChainMember> members;  // of the steps in their order
};

// A prepared step and the place of its pointers.
struct ChainStep {
  RangeRun run = nullptr;  // null: not by tiles
  const KernelState* state = nullptr;
  std::size_t first_input = 0;
  std::size_t first_output = 0;
};

// Moves the steps of each fused loop next to each other, to the place of the last one; casts
// between them join it. Call after PlanLayouts().
void GatherChains(Program& program);

// The fused loops that can run by tiles and are worth it, in order; `steps` are parallel to those
// of the program. Operands and results in memory must live as long as the whole loop.
std::vector<Chain> PlanChains(Program& program, std::span<const ChainStep> steps);

// Slots of the operands and results of a fused loop that do not stay in tiles.
std::vector<SlotId> SlotsInMemory(const Program& program, const Chain& chain);

// Allocates nothing. The bits do not depend on the number of threads.
void RunChain(const Chain& chain, std::span<const void* const> inputs,
              std::span<void* const> outputs) noexcept;

}  // namespace halftone
