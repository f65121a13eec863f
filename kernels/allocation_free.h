// Choice of kernels whose run() never calls the allocator: all but those of oneDNN, whose calls
// take a few KB each (kernels/onednn/library.h).
#pragma once

namespace halftone {

// While it lives, SelectKernel() on this thread passes over kernels that allocate, also for the
// operators that other kernels run (ConvTranspose, Einsum). Scopes may nest.
class AllocationFreeScope {
 public:
  explicit AllocationFreeScope(bool wanted = true) noexcept;
  ~AllocationFreeScope();
  AllocationFreeScope(const AllocationFreeScope&) = delete;
  AllocationFreeScope& operator=(const AllocationFreeScope&) = delete;

  // True if such an object lives on this thread.
  static bool IsHere() noexcept;

 private:
  bool before_;
};

}  // namespace halftone
