#include "src/base/machine_memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace halftone {
namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

// Bytes of memory and swap space in /proc/meminfo: "MemTotal:  16314912 kB".
std::int64_t MemoryAndSwap(const std::filesystem::path& file) {
  std::ifstream lines(file);
  std::string key;
  std::int64_t kib = 0;
  std::int64_t total = 0;
  std::string unit;
  while (lines >> key >> kib && std::getline(lines, unit)) {
    total += key == "MemTotal:" || key == "SwapTotal:" ? kib * 1024 : 0;
  }
  return total > 0 ? total : kUnknown;
}

// A file that holds a number, or "max".
std::int64_t NumberIn(const std::filesystem::path& file) {
  std::ifstream text(file);
  std::int64_t number = 0;
  return text >> number && number > 0 ? number : kUnknown;
}

std::int64_t AddressSpace() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
             ? static_cast<std::int64_t>(limit.rlim_cur)
             : kUnknown;
}

}  // namespace

std::int64_t MachineMemoryBytes(const std::filesystem::path& root) {
  const std::int64_t least =
      std::min({MemoryAndSwap(root / "proc/meminfo"), NumberIn(root / "sys/fs/cgroup/memory.max"),
                NumberIn(root / "sys/fs/cgroup/memory/memory.limit_in_bytes"), AddressSpace()});
  return least == kUnknown ? 0 : least;
}

}  // namespace halftone
