// A separate translation unit: if the compiler saw the replaced operators where they are called, it
// would pair malloc() with the library's operator delete and warn.
#include "tests/support/allocation_counter.h"

#include <cstdlib>
#include <new>

namespace {

thread_local bool counting = false;
thread_local int allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  if (counting) {
    ++allocations;
  }
  void* memory = std::malloc(size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

// The standard library's own would call the one above or, under a sanitizer, the sanitizer's.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  if (counting) {
    ++allocations;
  }
  return std::malloc(size);
}

void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept {
  std::free(memory);
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace halftone::testing {

AllocationCounter::AllocationCounter() {
  allocations = 0;
  counting = true;
}

AllocationCounter::~AllocationCounter() {
  counting = false;
}

int AllocationCounter::count() const {
  return allocations;
}

}  // namespace halftone::testing
