// Restricts the choice to kernels whose run() never calls the allocator: all except those of
// oneDNN, whose calls allocate a few KB each (kernels/onednn/library.h).
#pragma once

namespace halftone {

// While an object of this class lives, SelectKernel() on its thread skips kernels that allocate,
// also when a kernel selects another one (ConvTranspose, Einsum). Scopes may nest.
class AllocationFreeScope {
 public:
  explicit AllocationFreeScope(bool wanted = true) noexcept;
  ~AllocationFreeScope();
  AllocationFreeScope(const AllocationFreeScope&) = delete;
  AllocationFreeScope& operator=(const AllocationFreeScope&) = delete;

  // True if a scope with `wanted` lives on this thread.
  static bool IsHere() noexcept;

 private:
  bool before_;
};

}  // namespace halftone
