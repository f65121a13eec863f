// Restricts the choice to kernels whose run() never calls the allocator. Only oneDNN's calls do:
// they allocate a few KB each (kernels/onednn/library.h).
#pragma once

namespace halftone {

// While an object of this class lives, SelectKernel() on its thread skips kernels that allocate.
// That includes calls by kernels that run another kernel (ConvTranspose, Einsum). Scopes may nest.
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
