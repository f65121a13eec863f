#include "src/base/file_descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "src/base/error.h"

namespace halftone {

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

FileDescriptor OpenForReading(const std::filesystem::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
    ThrowIo("read", path, errno);
  }
  if (S_ISDIR(status.st_mode)) {
    ThrowIo("read", path, EISDIR);
  }
  return file;
}

void ThrowIo(std::string_view doing, const std::filesystem::path& path, int error) {
  throw Error(ErrorKind::kIo,
              fmt::format("cannot {} '{}': {}", doing, path.string(), std::strerror(error)));
}

}  // namespace halftone
