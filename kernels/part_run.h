// Element-wise kernels by parts: any range of the result from that range of the operands, so that
// several of them can go over a tensor together (src/exec/chains.h).
#pragma once

#include <cstdint>
#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Elements [begin, end) of the result of a prepared call.
struct PartArgs {
  const KernelState* state = nullptr;
  // Operands with as many elements as the result: their element `begin`. Others: their first
  // element. Null: absent.
  std::span<const void* const> inputs;
  // Element `begin` of the result. May be one of the former operands, if its elements have the
  // same size.
  void* output = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

using PartRun = void (*)(const PartArgs& args) noexcept;

// The bits are those of KernelEntry::run. Null: the kernel makes whole results only.
PartRun FindPartRun(const KernelEntry& entry);

}  // namespace halftone
