#include "src/base/lack_of_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace halftone {
namespace {

std::atomic<std::size_t> refused_bytes{0};

}  // namespace

void NoteRefusedBytes(std::size_t bytes) noexcept {
  refused_bytes.store(bytes, std::memory_order_relaxed);
}

std::string_view LackOfMemory(std::span<char> buffer) noexcept {
  const std::size_t bytes = refused_bytes.load(std::memory_order_relaxed);
  const auto text =
      bytes > 0 ? fmt::format_to_n(buffer.data(), buffer.size(),
                                   "expected {} more bytes of memory, the system refused them: {}",
                                   bytes, kMoreMemory)
                : fmt::format_to_n(buffer.data(), buffer.size(),
                                   "expected more memory, the system refused it: {}", kMoreMemory);
  return {buffer.data(), std::min(text.size, buffer.size())};
}

}  // namespace halftone
