#include "src/base/file_descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "src/base/error.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowNotRegular(const std::filesystem::path& path) {
  throw Error(ErrorKind::kIo,
              fmt::format("cannot read '{}': expected a regular file, found a pipe or a device",
                          path.string()));
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

FileDescriptor OpenForReading(const std::filesystem::path& path) {
  // Without O_NONBLOCK a FIFO would wait for its writer.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status = {};
  if (file.get() < 0 && errno == ENXIO) {  // a socket, or a device that is not there
    ThrowNotRegular(path);
  }
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
    ThrowIo("read", path, errno);
  }
  if (S_ISDIR(status.st_mode)) {
    ThrowIo("read", path, EISDIR);
  }
  if (!S_ISREG(status.st_mode)) {
    ThrowNotRegular(path);
  }
  return file;
}

int WriteAll(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written >= 0) {
      content.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Standard output may be shared with a program that made it so.
      pollfd ready = {descriptor, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void ThrowIo(std::string_view doing, const std::filesystem::path& path, int error) {
  throw Error(ErrorKind::kIo,
              fmt::format("cannot {} '{}': {}", doing, path.string(), std::strerror(error)));
}

}  // namespace halftone
