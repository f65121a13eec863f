#include "src/cli/out_of_memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "src/base/lack_of_memory.h"
#include "src/cli/command.h"

// Sanitizers have operators of their own, which end the program with a report.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

// The standard's loop: an installed handler may make room.
template <typename Allocate>
void* AllocateOrThrow(std::size_t bytes, const Allocate& allocate) {
  while (true) {
    void* const memory = allocate();
    if (memory != nullptr) {
      return memory;
    }
    halftone::NoteRefusedBytes(bytes);
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) {
      throw std::bad_alloc();
    }
    handler();
  }
}

}  // namespace

// The forms for arrays and without exceptions, and those of delete, are the library's, which call
// these and free().
void* operator new(std::size_t bytes) {
  return AllocateOrThrow(bytes, [&] { return std::malloc(std::max<std::size_t>(bytes, 1)); });
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return AllocateOrThrow(bytes, [&]() -> void* {
    void* memory = nullptr;
    const std::size_t least = std::max(static_cast<std::size_t>(alignment), sizeof(void*));
    return posix_memalign(&memory, least, std::max<std::size_t>(bytes, 1)) == 0 ? memory : nullptr;
  });
}

#endif

namespace halftone {
namespace {

constexpr std::string_view kNoThread =
    "error: the system did not start a thread that was asked for: use fewer (--threads=1), or "
    "allow more processes and memory (ulimit -u, ulimit -v)\n";

// Bytes of the stack that printing a sentence takes: they must be there before there are none left
// to take.
constexpr std::size_t kStackBytes = std::size_t{512} << 10;

void Print(std::string_view line) noexcept {
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
}

// oneTBB says with std::runtime_error which call failed, the standard library with an errno.
bool IsFailedThread(const std::exception& error) {
  const std::string_view text = error.what();
  if (const auto* system = dynamic_cast<const std::system_error*>(&error)) {
    return system->code() == std::errc::resource_unavailable_try_again;
  }
  return text.find("pthread_") != std::string_view::npos ||
         text.find(std::strerror(EAGAIN)) != std::string_view::npos;
}

[[noreturn]] void OnTerminate() {
  static std::atomic_flag first = ATOMIC_FLAG_INIT;
  while (first.test_and_set()) {
    ::pause();  // another thread prints and ends the program
  }
  int exit_code = 0;
  try {
    if (const std::exception_ptr thrown = std::current_exception()) {
      std::rethrow_exception(thrown);
    }
  } catch (const std::exception& error) {
    exit_code = PrintLackOfSystem(error);
  } catch (...) {
    std::abort();  // a bug: a core says more than a sentence
  }
  if (exit_code != 0) {
    ::_exit(exit_code);
  }
  std::abort();
}

}  // namespace

void PrepareForLackOfMemory() {
  char room[kStackBytes];
  std::memset(room, 0, sizeof(room));
  asm volatile("" : : "r"(room) : "memory");  // or the compiler leaves it out
  std::set_terminate(OnTerminate);
}

int PrintLackOfMemory() noexcept {
  constexpr std::string_view kError = "error: ";
  char line[kError.size() + kLackOfMemoryChars + 1];
  std::memcpy(line, kError.data(), kError.size());
  const std::string_view text = LackOfMemory(std::span(line + kError.size(), kLackOfMemoryChars));
  line[kError.size() + text.size()] = '\n';
  Print({line, kError.size() + text.size() + 1});
  return kExitFailure;
}

int PrintLackOfSystem(const std::exception& error) noexcept {
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  const bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
                         dynamic_cast<const std::length_error*>(&error) != nullptr ||
                         (system != nullptr && system->code() == std::errc::not_enough_memory);
  if (no_memory) {
    return PrintLackOfMemory();
  }
  if (IsFailedThread(error)) {
    Print(kNoThread);
    return kExitFailure;
  }
  return 0;
}

}  // namespace halftone
