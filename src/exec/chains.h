// Element-wise steps that run together, tile by tile: one pass over the tensors that go in and the
// one that comes out, whatever lies between.
//
// A step computes a tile of its result, then the next one computes that tile from it, while it is
// in the first-level cache. Values between the steps have the dtype of the plan and are rounded as
// when each step runs alone: the bits are the same. They have a place in the arena all the same,
// most in that of the chain's result, for Executable::RunObserved(), which runs every step alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/exec/program.h"

namespace halftone {

// Of a tile: what a step reads and writes stays in 32 KiB, and the call of a kernel (some 20 ns) is
// a tenth of the work or less.
inline constexpr std::int64_t kChainTileBytes = 8 * 1024;
// Values between steps that are there at the same time; more are written to the arena.
inline constexpr std::size_t kChainTiles = 4;

// From which size of the result on steps run together. What comes from memory or the third-level
// cache gains in any dtype; what is in the caches next to the core in float32 from three steps on,
// while 16-bit types wait for their conversions (0.57 and 1.05 of the time with five steps of 256
// KiB; halftone_fusions --chains, Zen 4 with 1 MiB of L2, 2026-11-22).
inline constexpr std::int64_t kLeastChainBytes = 4 * 1024 * 1024;
inline constexpr std::int64_t kLeastFloat32Bytes = 64 * 1024;
inline constexpr std::size_t kLeastFloat32Steps = 3;

// One step of a chain with everything resolved.
struct ChainMember {
  struct Operand {
    int tile = -1;                // which tile; -1: it is in memory
    std::size_t entry = 0;        // of the pointer table, where it is in memory
    std::int64_t step_bytes = 0;  // to the next element; 0: the operand is not cut into tiles
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

// A step as the executable prepared it, and where its pointers are.
struct ChainStep {
  RangeRun run = nullptr;  // null: not by tiles
  const KernelState* state = nullptr;
  std::size_t first_input = 0;
  std::size_t first_output = 0;
};

// Brings the steps of each chain together, at the place of the last one; casts between them join
// it. Goes after PlanLayouts().
void GatherChains(Program& program);

// The runs of steps that can go by tiles and are worth it, in order; `steps` are parallel to those
// of the program. Their operands and results in memory must live as long as the whole chain.
std::vector<Chain> PlanChains(Program& program, std::span<const ChainStep> steps);

// Operands and results of the chain's steps but those that stay in tiles.
std::vector<SlotId> SlotsInMemory(const Program& program, const Chain& chain);

// Allocates nothing. The bits do not depend on the number of threads.
void RunChain(const Chain& chain, std::span<const void* const> inputs,
              std::span<void* const> outputs) noexcept;

}  // namespace halftone
