// The functions of this file take the places of those of the C library in every library of the
// process; those of glibc stay callable under names of its own.
#include "tests/api/session/heap_counter.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

#if defined(__has_feature)  // clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HALFTONE_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HALFTONE_SANITIZED 1
#endif
#if defined(__GLIBC__) && !defined(HALFTONE_SANITIZED)
#define HALFTONE_COUNTS_HEAP 1
#endif

namespace {

std::atomic<std::int64_t> calls{0};

}  // namespace

#ifdef HALFTONE_COUNTS_HEAP
// NOLINTBEGIN: names of the C library
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) {
  calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

}  // extern "C"
// NOLINTEND
#endif

namespace halftone::testing {

bool CountsHeap() {
#ifdef HALFTONE_COUNTS_HEAP
  return true;
#else
  return false;
#endif
}

std::int64_t HeapCalls() {
  return calls.load();
}

}  // namespace halftone::testing
