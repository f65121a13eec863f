// Counts calls of operator new in test binaries that link allocation_counter.cc.
#pragma once

namespace halftone::testing {

// Counts the allocations of its thread while an object lives.
class AllocationCounter {
 public:
  AllocationCounter();
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;

  [[nodiscard]] int count() const;
};

}  // namespace halftone::testing
