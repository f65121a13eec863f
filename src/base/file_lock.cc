#include "src/base/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "src/base/file.h"

namespace halftone {

FileHeld::FileHeld(const std::filesystem::path& path)
    : Error(ErrorKind::kUsage,
            fmt::format("'{}' is held by another process that is still running; wait for it or "
                        "stop it",
                        path.string())) {}

FileLock::FileLock(const std::filesystem::path& path) {
  if (path.has_parent_path()) {
    CreateFolder(path.parent_path());
  }
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    throw Error(ErrorKind::kIo,
                fmt::format("cannot open '{}': {}", path.string(), std::strerror(errno)));
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    ::close(descriptor_);
    if (reason == EWOULDBLOCK) {
      throw FileHeld(path);
    }
    throw Error(ErrorKind::kIo,
                fmt::format("cannot lock '{}': {}", path.string(), std::strerror(reason)));
  }
}

FileLock::~FileLock() {
  ::close(descriptor_);
}

}  // namespace halftone
