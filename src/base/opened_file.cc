#include "src/base/opened_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "src/base/error.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowRead(const std::filesystem::path& path, std::string_view reason) {
  throw Error(ErrorKind::kIo, fmt::format("cannot read '{}': {}", path.string(), reason));
}

}  // namespace

OpenedFile::OpenedFile(std::filesystem::path path, Links links) : path_(std::move(path)) {
  // Without O_NONBLOCK a pipe would wait for its writer.
  const int no_link = links == Links::kRefuse ? O_NOFOLLOW : 0;
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | no_link);
  if (descriptor_ < 0) {
    ThrowRead(path_, std::strerror(errno));
  }

  struct stat status {};

  const bool known = ::fstat(descriptor_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    ThrowRead(path_, "expected a regular file, found a folder, a pipe or a device");
  }
  size_bytes_ = static_cast<std::int64_t>(status.st_size);
}

OpenedFile::~OpenedFile() {
  ::close(descriptor_);
}

void OpenedFile::Read(std::int64_t offset, std::span<std::byte> target) const {
  while (!target.empty()) {
    const ssize_t count = ::pread(descriptor_, target.data(), target.size(), offset);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      ThrowRead(path_, std::strerror(errno));
    }
    if (count == 0) {
      ThrowRead(path_, "it became shorter while it was read");
    }
    offset += count;
    target = target.subspan(static_cast<std::size_t>(count));
  }
}

std::shared_ptr<const std::byte[]> OpenedFile::Map(std::int64_t offset, std::int64_t size) const {
  Check(offset >= 0 && size > 0 && offset <= size_bytes_ - size, "Map() outside of the file");
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  const std::int64_t skipped = offset % page;
  const auto mapped = static_cast<std::size_t>(skipped + size);
  void* memory = ::mmap(nullptr, mapped, PROT_READ, MAP_PRIVATE, descriptor_, offset - skipped);
  if (memory == MAP_FAILED) {
    return nullptr;
  }
  const auto* bytes = static_cast<const std::byte*>(memory) + skipped;
  return {bytes, [memory, mapped](const std::byte* /*bytes*/) { ::munmap(memory, mapped); }};
}

}  // namespace halftone
